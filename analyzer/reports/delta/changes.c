/* SPDX-License-Identifier: MIT */
/*
 * The rows of the delta report: what changed, by path, function, line or component, and
 * what was allocated in between. Must not lose anything: what is not shown is in a row
 * of its own, and the rows add up to the total.
 */
#include "analyzer/reports/delta/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/sites.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 20
#define BETWEEN_ROWS 10
#define ROWS_WITH_PATHS 10

static const struct column columns[] = {
	{"live_bytes", "size", COLUMN_BYTES, COLUMN_KEEP},
	{"live_delta_bytes", "+size", COLUMN_BYTES_CHANGE, COLUMN_KEEP},
	{"live_count", "blocks", COLUMN_COUNT, COLUMN_KEEP},
	{"live_delta_count", "+blocks", COLUMN_COUNT_CHANGE, COLUMN_KEEP},
	{"average_bytes", "average", COLUMN_BYTES, 0},
	{"alloc_bytes", "allocated", COLUMN_BYTES, COLUMN_KEEP},
	{"alloc_count", "allocs", COLUMN_COUNT, 0},
	{"free_bytes", "freed", COLUMN_BYTES, COLUMN_KEEP},
	{"free_count", "frees", COLUMN_COUNT, 0},
	{"survived_bytes", "survived", COLUMN_BYTES, COLUMN_KEEP},
	{"survived_count", "blocks", COLUMN_COUNT, COLUMN_KEEP},
};
enum { COMMON = sizeof(columns) / sizeof(columns[0]), AVERAGE = 4, BETWEEN = 5 };

static const struct column path_columns[] = {
	SITE_COLUMNS,
};
static const struct column function_columns[] = {
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"file", "where", COLUMN_LOCATION, 0},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};
static const struct column line_columns[] = {
	{"file", "where", COLUMN_LOCATION, COLUMN_KEEP},
	{"line_of", NULL, COLUMN_TEXT, COLUMN_MACHINE},
};
static const struct column component_columns[] = {
	{"component", "component", COLUMN_TEXT, COLUMN_KEEP},
};

#define TAIL(name) name, sizeof(name) / sizeof(name[0])
static const struct {
	const struct column *tail;
	size_t tail_count;
	const char *noun;
	const char *title;
	const char *label; /* the column with the row's name */
	const char *shown; /* of the tail */
} kinds[] = {
	[DELTA_BY_PATH] = {TAIL(path_columns), "site", "What changed, by call path",
			   "owner", "owner path"},
	[DELTA_BY_FUNCTION] = {TAIL(function_columns), "function",
			       "What changed, by function", "name", "name file"},
	[DELTA_BY_LINE] = {TAIL(line_columns), "line", "What changed, by source line",
			   "file", "file"},
	[DELTA_BY_COMPONENT] = {TAIL(component_columns), "component",
				"What changed, by component", "component", "component"},
};

static struct table *new_table(enum delta_by by)
{
	struct column all[COMMON + sizeof(path_columns) / sizeof(path_columns[0])];

	memcpy(all, columns, sizeof(columns));
	memcpy(all + COMMON, kinds[by].tail,
	       kinds[by].tail_count * sizeof(struct column));
	return table_new(all, COMMON + kinds[by].tail_count);
}

static void set_average(struct cell *row)
{
	int64_t count = row[2].integer;

	row[AVERAGE] = count > 0 ? cell_integer(row[0].integer / count)
				 : (struct cell){.kind = CELL_NULL};
}

static void set_numbers(const struct delta *delta, struct cell *row,
			const struct delta_entry *entry)
{
	struct delta_result result = delta_of(entry);
	const int64_t between[] = {result.alloc_bytes,	  result.alloc_count,
				   result.free_bytes,	  result.free_count,
				   result.survived_bytes, result.survived_count};

	row[0] = cell_integer(entry->b.live_bytes);
	row[1] = cell_integer(result.live_delta_bytes);
	row[2] = cell_integer(entry->b.live_count);
	row[3] = cell_integer(result.live_delta_count);
	set_average(row);
	for (size_t i = 0; delta->has_between && i < COMMON - BETWEEN; i++)
		row[BETWEEN + i] = cell_integer(between[i]);
}

static const char *name_of(const struct delta *delta, uint32_t node)
{
	return node == CALLTREE_NONE ? "?" : calltree_name(delta->tree, node);
}

static const char *owner_of(const struct delta *delta, uint32_t node)
{
	return node == CALLTREE_NONE ? "?" : calltree_owner_name(delta->tree, node);
}

static void set_tail(const struct delta *delta, struct table *table, struct cell *cells,
		     const struct delta_change *change)
{
	const struct delta_site *site = change->site;
	uint32_t function = delta_function_of(delta, change);

	switch (delta->by) {
	case DELTA_BY_PATH:
		cells[0] = table_text(table, owner_of(delta, change->owner));
		cells[1] = cells[3] = site_cell(table, site->place);
		cells[7] = site_line_of(site->place);
		cells[2] = table_text(table, name_of(delta, site->node));
		cells[5] = cell_integer(site->path_id);
		cells[6] = cell_integer(site->site_id);
		break;
	case DELTA_BY_FUNCTION:
		cells[0] = table_text(table, owner_of(delta, change->owner));
		if (function == CALLTREE_NONE)
			break;
		cells[1] = site_cell(
			table, (struct site_place){delta->tree->functions[function].file,
						   delta->tree->functions[function].line,
						   false});
		cells[2] = cell_integer(delta->tree->functions[function].function_id);
		break;
	case DELTA_BY_LINE:
		cells[0] = site->place.file ? site_cell(table, site->place)
					    : table_text(table, "(no line known)");
		cells[1] = site_line_of(site->place);
		break;
	case DELTA_BY_COMPONENT:
		cells[0] = table_text(table, delta_component(delta, site->node));
		break;
	}
}

/* Sums up rows [from, to) into a new one; what is not known stays so. */
static void add_sum(struct table *table, size_t from, size_t to, const char *label,
		    const char *label_column)
{
	struct cell *sum = table_add_row(table);

	for (size_t i = from; i < to; i++)
		for (size_t j = 0; j < COMMON; j++) {
			const struct cell *cell = &table_row(table, i)[j];

			if (cell->kind == CELL_INTEGER)
				sum[j] = cell_integer(
					delta_plus(sum[j].integer, cell->integer));
		}
	set_average(sum);
	sum[table_column(table, label_column)] = table_text(table, label);
}

/* Cuts the table to limit rows and puts what went, and what did not change, into rows of
 * their own; for people the total, too. */
static void finish(const struct report_input *input, const struct delta_changes *changes,
		   struct table *table, size_t limit)
{
	enum delta_by by = changes->delta->by;
	size_t all = table->row_count, shown = limit && limit < all ? limit : all;
	struct strbuf label = {0};

	if (shown < all) {
		strbuf_printf(&label, "(%zu more)", all - shown);
		add_sum(table, shown, all, strbuf_text(&label), kinds[by].label);
		memcpy(table_row(table, shown), table_row(table, all),
		       table->column_count * sizeof(struct cell));
		table->row_count = shown + 1;
	}
	if (changes->unchanged_count) {
		struct cell *row = table_add_row(table);

		set_numbers(changes->delta, row, &changes->unchanged);
		strbuf_reset(&label);
		strbuf_printf(&label, "(%zu unchanged)", changes->unchanged_count);
		row[table_column(table, kinds[by].label)] =
			table_text(table, strbuf_text(&label));
	}
	if (!input->options->machine && table->row_count > 1)
		add_sum(table, 0, table->row_count, "total", kinds[by].label);
	strbuf_free(&label);
}

static void add_paths(const struct delta *delta, struct table *table, size_t rows)
{
	int column = table_column(table, "path");

	for (size_t i = 0; column >= 0 && i < table->row_count && i < rows; i++) {
		const struct cell *path_id = table_cell(table, i, "path_id");

		if (path_id->kind == CELL_INTEGER)
			table_row(table, i)[column] =
				site_chain(table, delta->tree,
					   calltree_find(delta->tree, path_id->integer),
					   rows != SIZE_MAX);
	}
}

static void show(struct table *table, enum delta_by by, const char *numbers)
{
	char list[256] = "";

	strcat(strcpy(list, numbers), kinds[by].shown);
	table_show(table, list);
}

static struct table *rows_table(const struct delta_changes *changes, bool only_allocated)
{
	const struct delta *delta = changes->delta;
	struct table *table = new_table(delta->by);

	for (size_t i = 0; i < changes->count; i++) {
		const struct delta_change *change = &changes->list[i];
		struct cell *row;

		if (only_allocated && !delta_has_allocated(delta, &change->result) &&
		    !change->result.free_count)
			continue;
		row = table_add_row(table);
		set_numbers(delta, row, &change->entry);
		set_tail(delta, table, row + COMMON, change);
	}
	return table;
}

/* For people: by what was allocated in between and survived. */
static void add_between_table(struct doc *doc, struct table *table, enum delta_by by,
			      size_t limit)
{
	struct section *section;

	table_sort(table, table_column(table, "survived_bytes"),
		   table_column(table, "alloc_bytes"));
	show(table, by, "alloc_bytes free_bytes survived_bytes survived_count ");
	section = report_add_table(doc, "between", "Allocated in between, by survivors",
				   table, limit, kinds[by].noun, "survived_bytes",
				   "the survivors");
	section->flags = SECTION_HUMAN;
}

static void add_main_table(const struct report_input *input, struct doc *doc,
			   const struct delta_changes *changes, struct table *table)
{
	const struct delta *delta = changes->delta;
	struct section *section;

	if (!table->row_count)
		doc_note(doc, "no_change", NOTE_PLAIN,
			 "No live memory came or went between them.", NULL);
	finish(input, changes, table, report_limit(input, DEFAULT_ROWS));
	show(table, delta->by,
	     "live_bytes live_delta_bytes live_count live_delta_count average_bytes ");
	add_paths(delta, table, report_path_rows(input, ROWS_WITH_PATHS));
	section = doc_table(doc, "changes", kinds[delta->by].title, table);
	section->flags = SECTION_MAIN | (table->row_count ? 0 : SECTION_MACHINE);
}

enum exit_status delta_add_changes(struct report_input *input, struct doc *doc,
				   const struct delta *delta)
{
	bool for_people = !input->options->machine;
	enum exit_status status = STATUS_OK;
	struct table *table, *between = NULL;
	struct delta_changes changes;

	delta_collect(input, delta, &changes);
	if (for_people && delta->has_between)
		between = rows_table(&changes, true);
	delta_drop_unchanged(&changes, for_people);
	table = rows_table(&changes, false);
	if (input->options->sort)
		status = report_sort(input, table, "live_delta_bytes",
				     kinds[delta->by].label);
	if (status == STATUS_OK) {
		delta_add_head(doc, delta, &changes.total);
		add_main_table(input, doc, &changes, table);
		if (between && between->row_count) {
			add_between_table(doc, between, delta->by,
					  report_limit(input, BETWEEN_ROWS));
			between = NULL;
		}
	} else {
		table_free(table);
	}
	table_free(between);
	free(changes.list);
	return status;
}
