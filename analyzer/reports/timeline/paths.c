/* SPDX-License-Identifier: MIT */
/*
 * Slow calls of the same call path, whatever thread made them, as one line: how many
 * there were, the longest, the first and the last. Steps of a name likewise.
 */
#include "analyzer/reports/timeline/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define PATHS_USUAL 10

static const struct column columns[] = {
	{"longest_ns", "longest", COLUMN_NSEC, COLUMN_KEEP},
	{"kept_count", "kept", COLUMN_COUNT, COLUMN_KEEP},
	{"first_ns", "first at", COLUMN_NSEC, 0},
	{"last_ns", "last at", COLUMN_NSEC, 0},
	{"name", "function", COLUMN_NAME, COLUMN_MACHINE},
	{"kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"path", "call path", COLUMN_CHAIN, COLUMN_KEEP},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const char *text_of(const struct cell *cell)
{
	return cell->kind == CELL_TEXT ? cell->text : "";
}

static bool is_step(const struct table *calls, size_t row)
{
	return strcmp(text_of(table_cell(calls, row, "kind")), "step") == 0;
}

/* 0: a step, wherever it was marked. */
static int64_t path_of(const struct table *calls, size_t row)
{
	return is_step(calls, row) ? 0 : cell_whole(table_cell(calls, row, "path_id"));
}

/* Steps by their names before the paths. */
static int compare(const void *left, const void *right, void *context)
{
	const struct table *calls = context;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	int64_t first = path_of(calls, a), second = path_of(calls, b);

	if (first != second)
		return (first > second) - (first < second);
	return strcmp(text_of(table_cell(calls, a, "name")),
		      text_of(table_cell(calls, b, "name")));
}

static struct cell copy(struct table *table, const struct table *calls, size_t row,
			const char *column)
{
	const struct cell *cell = table_cell(calls, row, column);

	return cell->kind == CELL_TEXT ? table_text(table, cell->text) : *cell;
}

static void begin(struct table *table, const struct table *calls, size_t row,
		  const struct calltree *tree)
{
	static const char *const same[] = {"name", "kind", "path_id", "function_id"};
	uint32_t node = is_step(calls, row) ? CALLTREE_NONE
					    : calltree_find(tree, path_of(calls, row));
	struct strbuf text = {0};
	size_t at = table->row_count;

	table_add_row(table);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		*table_cell(table, at, same[i]) = copy(table, calls, row, same[i]);
	strbuf_printf(&text, "%s%s", is_step(calls, row) ? "step " : "",
		      text_of(table_cell(calls, row, "name")));
	*table_cell(table, at, "path") = node == CALLTREE_NONE
						 ? table_text(table, strbuf_text(&text))
						 : report_chain(table, tree, node);
	strbuf_free(&text);
	*table_cell(table, at, "kept_count") = cell_integer(0);
}

/* Into the last row. */
static void count(struct table *table, const struct table *calls, size_t row)
{
	size_t at = table->row_count - 1;
	int64_t begun = cell_whole(table_cell(calls, row, "started_ns"));
	int64_t took = cell_whole(table_cell(calls, row, "duration_ns"));
	struct cell *number = table_cell(table, at, "kept_count");
	struct cell *first = table_cell(table, at, "first_ns");
	struct cell *last = table_cell(table, at, "last_ns");
	struct cell *longest = table_cell(table, at, "longest_ns");
	bool is_first = number->integer++ == 0;

	if (is_first || begun < first->integer)
		*first = cell_integer(begun);
	if (is_first || begun > last->integer)
		*last = cell_integer(begun);
	if (is_first || took > longest->integer)
		*longest = cell_integer(took);
}

enum exit_status timeline_add_paths(struct report_input *input, struct doc *doc,
				    const struct table *calls)
{
	struct calltree *tree = report_tree_load(input);
	struct table *table;
	size_t *rows;

	if (!tree)
		return STATUS_FAILED;
	rows = xcalloc(calls->row_count + 1, sizeof(*rows));
	table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < calls->row_count; i++)
		rows[i] = i;
	qsort_r(rows, calls->row_count, sizeof(*rows), compare, (void *)calls);
	for (size_t i = 0; i < calls->row_count; i++) {
		if (!i || compare(&rows[i - 1], &rows[i], (void *)calls) != 0)
			begin(table, calls, rows[i], tree);
		count(table, calls, rows[i]);
	}
	table_sort(table, table_column(table, "longest_ns"), table_column(table, "name"));
	report_add_table(doc, "paths", "By call path", table,
			 report_limit(input, PATHS_USUAL), "call path", NULL, NULL);
	free(rows);
	calltree_free(tree);
	return STATUS_OK;
}
