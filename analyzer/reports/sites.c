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

struct site_place site_place_of(const struct calltree *tree, uint32_t node,
				const char *file, uint32_t line)
{
	const struct calltree_function *function = NULL;
	uint32_t owner = node == CALLTREE_NONE ? node : calltree_owner(tree, node);

	if (!file && owner != CALLTREE_NONE &&
	    tree->nodes[owner].function != CALLTREE_NONE)
		function = &tree->functions[tree->nodes[owner].function];
	if (!function)
		return (struct site_place){file, line, false};
	return (struct site_place){function->file, function->line, function->file};
}

struct cell site_cell(struct table *table, struct site_place place)
{
	struct cell cell = table_text(table, place.file);

	cell.line = place.line;
	cell.is_definition = place.is_definition;
	return cell;
}

struct cell site_line_of(struct site_place place)
{
	if (!place.file)
		return (struct cell){.kind = CELL_NULL};
	return (struct cell){.kind = CELL_TEXT,
			     .text = place.is_definition ? "function" : "call"};
}

/* The user's function that led to the allocation, and where it did. */
static void set_owner(struct table *table, size_t row, const struct calltree *tree)
{
	uint32_t node = calltree_find(tree, table_cell(table, row, "path_id")->integer);
	struct cell *file = table_cell(table, row, "file");
	struct site_place place = site_place_of(
		tree, node, file->kind == CELL_TEXT ? file->text : NULL, file->line);

	*table_cell(table, row, "owner") =
		node == CALLTREE_NONE
			? *table_cell(table, row, "name")
			: table_text(table, calltree_owner_name(tree, node));
	*table_cell(table, row, "where") = *file = site_cell(table, place);
	*table_cell(table, row, "line_of") = site_line_of(place);
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

struct cell site_chain(struct table *table, const struct calltree *tree, uint32_t node,
		       bool for_people)
{
	uint32_t owner = node == CALLTREE_NONE ? node : calltree_owner(tree, node);
	uint32_t first = node;
	struct strbuf chain = {0};
	size_t count = 0;
	struct cell cell;

	if (!for_people || owner == node)
		return report_chain(table, tree, node);
	for (; tree->nodes[first].parent != owner; first = tree->nodes[first].parent)
		count++;
	calltree_put_chain(tree, first, TABLE_CHAIN_END_TEXT, &chain);
	if (count)
		strbuf_printf(&chain, "%c(%zu more of libraries)", TABLE_CHAIN_END,
			      count);
	cell = table_text(table, strbuf_text(&chain));
	strbuf_free(&chain);
	return cell;
}

void sites_add_paths(struct table *table, const struct calltree *tree, size_t rows)
{
	for (size_t i = 0; i < table->row_count && i < rows; i++) {
		const struct cell *path_id = table_cell(table, i, "path_id");
		uint32_t node = calltree_find(tree, path_id->integer);

		*table_cell(table, i, "path") =
			site_chain(table, tree, node, rows != SIZE_MAX);
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
