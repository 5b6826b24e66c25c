/* SPDX-License-Identifier: MIT */
/* What was read and written: by file, peer or pipe, and by call path. */
#include "analyzer/reports/common.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"

#include "io.sql.h"

#include <stdint.h>
#include <string.h>

#define DEFAULT_ROWS 20
#define ROWS_WITH_PATHS 5
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column file_columns[] = {
	{"total_ns", "time", COLUMN_NSEC, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"read_bytes", "read", COLUMN_BYTES, COLUMN_KEEP},
	{"write_bytes", "written", COLUMN_BYTES, COLUMN_KEEP},
	{"data_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"average_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"largest_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"small_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"small_percent", "small %", COLUMN_PERCENT, 0},
	{"sequential_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"sequential_percent", "seq %", COLUMN_PERCENT, 0},
	{"sync_calls", "syncs", COLUMN_COUNT, 0},
	{"open_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"sync_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"failed_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"kind", "kind", COLUMN_TEXT, COLUMN_MACHINE},
	{"file", "file", COLUMN_FILE, COLUMN_KEEP},
};

static const struct column path_columns[] = {
	{"total_ns", "time", COLUMN_NSEC, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"bytes", "bytes", COLUMN_BYTES, COLUMN_KEEP},
	{"average_bytes", "avg", COLUMN_BYTES, 0},
	{"small_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"failed_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"file_count", "files", COLUMN_COUNT, 0},
	{"name", "call", COLUMN_NAME, COLUMN_KEEP},
	{"operation", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"caller", "in", COLUMN_NAME, COLUMN_KEEP},
	{"file", "file", COLUMN_FILE, COLUMN_DETAIL},
	{"path", "path", COLUMN_CHAIN, COLUMN_DETAIL},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static struct cell ratio(const struct table *table, size_t row, const char *part,
			 const char *whole)
{
	double count = cell_number(table_cell(table, row, whole));

	return count > 0 ? cell_integer(whole_number(
				   cell_number(table_cell(table, row, part)) / count))
			 : (struct cell){.kind = CELL_NULL};
}

static struct cell share(const struct table *table, size_t row, const char *part,
			 const char *whole)
{
	double count = cell_number(table_cell(table, row, whole));

	return count > 0 ? cell_real(units_share(
				   cell_number(table_cell(table, row, part)), count))
			 : (struct cell){.kind = CELL_NULL};
}

static int is_file(const struct table *table, size_t row)
{
	const struct cell *kind = table_cell(table, row, "kind");

	return kind->kind == CELL_TEXT && strcmp(kind->text, "file") == 0;
}

static void compute_files(struct table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		double bytes = cell_number(table_cell(table, i, "read_bytes")) +
			       cell_number(table_cell(table, i, "write_bytes"));
		double count = cell_number(table_cell(table, i, "data_calls"));

		*table_cell(table, i, "average_bytes") =
			count > 0 ? cell_integer(whole_number(bytes / count))
				  : (struct cell){.kind = CELL_NULL};
		*table_cell(table, i, "small_percent") =
			share(table, i, "small_calls", "data_calls");
		/* what has no offsets comes as it comes */
		if (is_file(table, i))
			*table_cell(table, i, "sequential_percent") =
				share(table, i, "sequential_calls", "data_calls");
	}
}

static enum exit_status add_files(struct report_input *input, struct doc *doc)
{
	struct table *table =
		report_table(input, io_sql_files, file_columns, COUNT(file_columns));
	enum exit_status status;
	struct section *section;

	if (!table)
		return STATUS_FAILED;
	if (!table->row_count)
		doc_note(doc, "no_io", NOTE_PLAIN,
			 "No call of libc's that moves data or has to do with files was "
			 "recorded.",
			 NULL);
	compute_files(table);
	status = report_sort(input, table, "total_ns", "file");
	if (status) {
		table_free(table);
		return status;
	}
	section = report_add_table(doc, "files", "By file, peer or pipe", table,
				   report_limit(input, DEFAULT_ROWS), "file", "total_ns",
				   "the time");
	section->flags = SECTION_MAIN;
	return STATUS_OK;
}

/* Of several files none is named. */
static void compute_paths(struct table *table, const struct calltree *tree, size_t rows)
{
	table_sort(table, table_column(table, "total_ns"), table_column(table, "name"));
	for (size_t i = 0; i < table->row_count; i++) {
		const char *operation = table_cell(table, i, "operation")->text;
		int is_data = !strcmp(operation, "read") || !strcmp(operation, "write");

		if (is_data)
			*table_cell(table, i, "average_bytes") =
				ratio(table, i, "bytes", "calls");
		else
			*table_cell(table, i, "bytes") = (struct cell){.kind = CELL_NULL};
		if (table_cell(table, i, "file_count")->integer > 1 || i >= rows)
			*table_cell(table, i, "file") = (struct cell){.kind = CELL_NULL};
		if (i < rows)
			*table_cell(table, i, "path") = report_chain(
				table, tree,
				calltree_find(tree,
					      table_cell(table, i, "path_id")->integer));
	}
}

static enum exit_status add_paths(struct report_input *input, struct doc *doc)
{
	struct calltree *tree = report_tree_load(input);
	struct table *table = tree ? report_table(input, io_sql_paths, path_columns,
						  COUNT(path_columns))
				   : NULL;

	if (table) {
		compute_paths(table, tree,
			      input->options->machine ? SIZE_MAX : ROWS_WITH_PATHS);
		report_add_table(doc, "io_paths", "By call path", table,
				 report_limit(input, DEFAULT_ROWS), "path", "total_ns",
				 "the time");
	}
	calltree_free(tree);
	return table ? STATUS_OK : STATUS_FAILED;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	enum exit_status status = report_open(input, doc, &facts);

	if (status == STATUS_OK)
		status = add_files(input, doc);
	if (status == STATUS_OK)
		status = add_paths(input, doc);
	if (status)
		return status;
	if (run_facts_empty(&facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	return STATUS_OK;
}

const struct report report_io = {
	.name = "io",
	.summary = "what was read and written, by file and by call path",
	.description =
		"Calls of libc that move data or have to do with files, by what their "
		"descriptors led to: a file by its path when it was opened, a socket's "
		"peer, a pipe. small % are reads and writes that moved less than 4 KiB, "
		"seq % those that went on in the file where the one before had ended. "
		"Calls that only name a path (stat, unlink) and failed opens are one "
		"row, [paths]. Calls of stdio (fread, fprintf) are there when they did "
		"not find what they needed in the stream's buffer. "
		"--sort takes any json column of the files.",
	.example = "prof-analyze io run.db --sort write_bytes",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT,
	.build = build,
};
