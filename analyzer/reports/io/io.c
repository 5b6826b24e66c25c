/* SPDX-License-Identifier: MIT */
/* What was read and written: by file, peer or pipe, and by call path. */
#include "analyzer/reports/common.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"

#include "io.sql.h"

#include <stdint.h>
#include <stdlib.h>
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
	{"open_calls", "opens", COLUMN_COUNT, 0},
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

/* Paths: the ids of those that are chosen, NULL: all. */
static struct table *io_table(struct report_input *input, const char *paths,
			      const char *sql, const struct column *columns, size_t count)
{
	struct cursor *cursor = report_query(input, sql);

	cursor_bind_text(cursor, ":paths", paths);
	return report_fill(input, cursor, table_new(columns, count));
}

static enum exit_status add_files(struct report_input *input, struct doc *doc,
				  const char *paths)
{
	struct table *table =
		io_table(input, paths, io_sql_files, file_columns, COUNT(file_columns));
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

static enum exit_status add_paths(struct report_input *input, struct doc *doc,
				  const struct calltree *tree, const char *paths)
{
	struct table *table =
		io_table(input, paths, io_sql_paths, path_columns, COUNT(path_columns));

	if (!table)
		return STATUS_FAILED;
	compute_paths(table, tree, report_path_rows(input, ROWS_WITH_PATHS));
	report_add_table(doc, "io_paths", "By call path", table,
			 report_limit(input, DEFAULT_ROWS), "path", "total_ns",
			 "the time");
	return STATUS_OK;
}

/* As json, what :paths takes. */
static void list_chosen(struct report_input *input, const struct calltree *tree,
			struct strbuf *ret)
{
	bool *passes = filter_paths(&input->filter, tree, false);
	const char *before = "[";

	for (size_t i = 0; i < tree->node_count; i++) {
		if (!passes[i])
			continue;
		strbuf_printf(ret, "%s%lld", before, (long long)tree->nodes[i].path_id);
		before = ",";
	}
	strbuf_puts(ret, *before == '[' ? "[]" : "]");
	free(passes);
}

/* What the kernel counted, and no call has moved. Of a part of the paths that says
 * nothing. */
static enum exit_status add_unseen(struct report_input *input, struct doc *doc)
{
	static const char *const titles[][2] = {
		{"kernel_read_bytes", "read"},
		{"unseen_read_bytes", "not by calls above"},
		{"kernel_write_bytes", "written"},
		{"unseen_write_bytes", "not by calls above"},
		{"uncompared_processes", "processes that did not tell"},
	};
	struct cursor *cursor = report_query(input, io_sql_unseen);
	int64_t values[COUNT(titles)];
	size_t found = 0;
	struct section *section;

	while (cursor_next(cursor) > 0)
		for (size_t i = 0; i < COUNT(titles); i++)
			if (!strcmp(cursor_text(cursor, "name"), titles[i][0])) {
				values[i] = cursor_integer(cursor, "value");
				found |= 1u << i;
			}
	if (report_finish(input, cursor) < 0)
		return STATUS_FAILED;
	if (found != (1u << COUNT(titles)) - 1)
		return STATUS_OK;
	section = doc_values(doc, "kernel", "By the kernel's count");
	for (size_t i = 0; i < COUNT(titles); i++)
		doc_add(section, titles[i][0], titles[i][1],
			i < COUNT(titles) - 1 ? COLUMN_BYTES : COLUMN_COUNT,
			cell_integer(values[i]));
	return STATUS_OK;
}

static enum exit_status add_all(struct report_input *input, struct doc *doc)
{
	struct calltree *tree = report_tree_load(input);
	int is_part = filter_is_active(&input->filter);
	enum exit_status status = tree ? STATUS_OK : STATUS_FAILED;
	struct strbuf chosen = {0};
	const char *paths;

	if (status == STATUS_OK && is_part)
		list_chosen(input, tree, &chosen);
	paths = is_part ? strbuf_text(&chosen) : NULL;
	if (status == STATUS_OK)
		status = add_files(input, doc, paths);
	if (status == STATUS_OK)
		status = add_paths(input, doc, tree, paths);
	if (status == STATUS_OK && !is_part)
		status = add_unseen(input, doc);
	strbuf_free(&chosen);
	calltree_free(tree);
	return status;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	enum exit_status status = report_open(input, doc, &facts);

	if (status == STATUS_OK)
		status = add_all(input, doc);
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
		"At the end stands what the kernel counted as read and written, and how "
		"much of that these calls did not move. "
		"--sort takes any json column of the files. --focus and --ignore look at "
		"every function of the call path, and leave out the kernel's count.",
	.example = "prof-analyze io run.db --sort write_bytes",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER,
	.build = build,
};
