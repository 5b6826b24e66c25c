/* SPDX-License-Identifier: MIT */
/* The table of allocation sites that memory, leaks and report show. */
#include "analyzer/reports/sites.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "sites.sql.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"live_percent", "live %", COLUMN_PERCENT, 0},
	{"live_bytes", "live", COLUMN_BYTES, COLUMN_KEEP},
	{"live_count", "blocks", COLUMN_COUNT, 0},
	{"alloc_bytes_percent", "bytes %", COLUMN_PERCENT, 0},
	{"alloc_bytes", "bytes", COLUMN_BYTES, COLUMN_KEEP},
	{"alloc_count", "allocs", COLUMN_COUNT, 0},
	{"at_peak_percent", "peak %", COLUMN_PERCENT, 0},
	{"at_peak_bytes", "at peak", COLUMN_BYTES, 0},
	{"at_peak_count", "blocks", COLUMN_COUNT, COLUMN_MACHINE},
	{"peak_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"temporary_percent", "temp %", COLUMN_PERCENT, 0},
	{"temporary_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"free_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"free_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"realloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"realloc_copied_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"cross_thread_free_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"largest_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	SITE_COLUMNS,
};

static void set_share(struct table *table, size_t row, const char *column,
		      const char *part, double whole)
{
	double value = cell_number(table_cell(table, row, part));

	*table_cell(table, row, column) = cell_real(units_share(value, whole));
}

static void compute_columns(struct table *table, const struct run_facts *facts)
{
	double live = table_sum(table, "live_bytes");

	for (size_t i = 0; i < table->row_count; i++) {
		set_share(table, i, "alloc_bytes_percent", "alloc_bytes",
			  (double)facts->alloc_bytes);
		set_share(table, i, "at_peak_percent", "at_peak_bytes",
			  (double)facts->peak_bytes);
		set_share(table, i, "live_percent", "live_bytes", live);
		set_share(table, i, "temporary_percent", "temporary_count",
			  cell_number(table_cell(table, i, "alloc_count")));
	}
}

/* The user's function that led to the allocation, and where it is: the line of the call
 * when it made that itself, else its own. */
static void set_owner(struct table *table, size_t row, const struct calltree *tree)
{
	uint32_t node = calltree_find(tree, table_cell(table, row, "path_id")->integer);
	const struct calltree_function *function = NULL;
	struct cell *where = table_cell(table, row, "where");
	uint32_t owner;

	*table_cell(table, row, "owner") = *table_cell(table, row, "name");
	*where = *table_cell(table, row, "file");
	if (node == CALLTREE_NONE)
		return;
	owner = calltree_owner(tree, node);
	if (tree->nodes[owner].function != CALLTREE_NONE)
		function = &tree->functions[tree->nodes[owner].function];
	if (!function)
		return;
	*table_cell(table, row, "owner") = table_text(table, function->name);
	if (owner != node || where->kind == CELL_NULL) {
		*where = table_text(table, function->file);
		where->line = function->line;
	}
}

/* Sites on paths that pass the filter, and that the thread allocated on. */
static void choose_rows(struct report_input *input, struct table *table,
			const struct calltree *tree)
{
	bool *paths = filter_paths(&input->filter, tree, false);
	bool *keep = xcalloc(table->row_count, sizeof(*keep));
	bool filtered = filter_is_active(&input->filter);

	for (size_t i = 0; i < table->row_count; i++) {
		uint32_t node =
			calltree_find(tree, table_cell(table, i, "path_id")->integer);

		keep[i] = !filtered || (node != CALLTREE_NONE && paths[node]);
		if (input->options->thread && node != CALLTREE_NONE)
			keep[i] = keep[i] && tree->nodes[node].alloc_count > 0;
	}
	table_filter(table, keep);
	free(keep);
	free(paths);
}

struct table *sites_table(struct report_input *input, const struct run_facts *facts,
			  const struct calltree *tree, bool only_live)
{
	struct table *table;
	struct cursor *cursor = report_query(input, sites_sql_all);

	cursor_bind_integer(cursor, ":only_live", only_live);
	table = report_fill(input, cursor,
			    table_new(columns, sizeof(columns) / sizeof(columns[0])));
	if (!table)
		return NULL;
	compute_columns(table, facts);
	choose_rows(input, table, tree);
	for (size_t i = 0; i < table->row_count; i++)
		set_owner(table, i, tree);
	return table;
}

void sites_add_paths(struct table *table, const struct calltree *tree, size_t rows)
{
	for (size_t i = 0; i < table->row_count && i < rows; i++) {
		const struct cell *path_id = table_cell(table, i, "path_id");
		uint32_t node = calltree_find(tree, path_id->integer);

		*table_cell(table, i, "path") = report_chain(table, tree, node);
	}
}

void sites_thread_note(const struct report_input *input, struct doc *doc)
{
	if (input->options->thread)
		doc_note(doc, "thread_sites", NOTE_PLAIN,
			 "Allocation sites are kept by call path, not by thread: a site "
			 "that other threads used too shows the sum of all.",
			 NULL);
}
