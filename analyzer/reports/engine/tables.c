/* SPDX-License-Identifier: MIT */
/* Prepares tables: sorts, sums up and cuts rows before any is added to the document. */
#include "analyzer/reports/engine/run.h"

#include "common/base/xalloc.h"
#include "analyzer/document/columns.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/columns.h"
#include "analyzer/rundb/sums.h"

#include <stdlib.h>
#include <string.h>

/* Drops details behind the first rows, and turns numbers of call paths into names. */
static void finish_cells(struct engine *engine, const struct report_part *part,
			 struct table *table)
{
	size_t rows = part->detail_rows
			      ? report_path_rows(engine->ask.input, part->detail_rows)
			      : SIZE_MAX;

	for (size_t j = 0; j < table->column_count; j++) {
		bool is_chain = table->columns[j].type == COLUMN_CHAIN;

		if (is_chain && (table->columns[j].flags & COLUMN_MACHINE) &&
		    !engine->ask.input->options->machine)
			continue; /* details take time, and nobody would see them */
		for (size_t i = 0; i < table->row_count; i++) {
			struct cell *cell = table_row(table, i) + j;
			bool is_shown =
				i < rows || !(table->columns[j].flags & COLUMN_DETAIL);

			if (!is_shown)
				cell->kind = CELL_NULL;
			else if (is_chain && cell->kind == CELL_INTEGER)
				*cell = ask_chain(&engine->ask, table, cell->integer,
						  columns_is_site(table, j));
		}
	}
}

/* Reads a hidden column from the first row; 0 if it is missing. "-for_machines": only
 * they see the table. "-for_csv": csv of the page shows this one. "-rows": how many
 * people see. "-about": the function the table is about. "-footer": what was left out of
 * "-of_rows". */
static int64_t said(const struct table *table, const char *name)
{
	int column = table_column(table, name);

	return table->row_count && column >= 0 ? cell_whole(table_row(table, 0) + column)
					       : 0;
}

/* Makes the table NAME_shown for later queries. */
static void keep_order(struct engine *engine, const struct report_part *part,
		       const struct table *table)
{
	struct sums places = {0};

	if (!part->order)
		return;
	for (size_t i = 0; i < table->row_count; i++)
		sums_add(&places, cell_whole(table_cell(table, i, part->order)), 0, 0,
			 (int64_t)i + 1);
	rundb_keep_sums(engine->ask.input->db, xasprintf("%s_shown", part->name),
			part->order, "place", &places);
}

static size_t rows_of(const struct engine *engine, const struct report_part *part,
		      const struct table *table)
{
	int64_t rows = said(table, "rows");

	if (rows > 0)
		return report_limit(engine->ask.input, (size_t)rows);
	return part->flags & PART_WHOLE ? 0
	       : engine->is_brief	? engine->limit
					: report_limit(engine->ask.input, part->rows);
}

static bool adds_up(enum column_type type)
{
	return type == COLUMN_BYTES || type == COLUMN_COUNT ||
	       type == COLUMN_BYTES_CHANGE || type == COLUMN_COUNT_CHANGE;
}

/* Sums rows [from, to) into a new row; unknown values stay unknown. */
static void add_sum(const struct report_part *part, struct table *table, size_t from,
		    size_t to, const char *label)
{
	struct cell *sum = table_add_row(table), *mean, *count;

	for (size_t i = from; i < to; i++)
		for (size_t j = 0; j < table->column_count; j++) {
			const struct cell *cell = table_row(table, i) + j;

			if (cell->kind != CELL_INTEGER ||
			    !adds_up(table->columns[j].type))
				continue;
			if (sum[j].kind != CELL_INTEGER)
				sum[j] = cell_integer(0);
			/* damaged files may hold any number */
			__builtin_add_overflow(sum[j].integer, cell->integer,
					       &sum[j].integer);
		}
	mean = sum + table_column(table, part->mean.column);
	count = sum + table_column(table, part->mean.count);
	*mean = (struct cell){.kind = CELL_NULL};
	if (cell_whole(count) > 0)
		*mean = cell_integer(
			cell_whole(sum + table_column(table, part->mean.of)) /
			cell_whole(count));
	sum[table_column(table, part->rest)] = table_text(table, label);
}

/* The number of rows at the end that have "is_last". */
static size_t last_rows(const struct table *table)
{
	int column = table_column(table, "is_last");
	size_t count = 0;

	while (column >= 0 && count < table->row_count &&
	       cell_whole(table_row(table, table->row_count - count - 1) + column))
		count++;
	return count;
}

/* Replaces the rows that the limit cuts by one sum, above the last rows; adds the sum of
 * all below them for people. */
static void sum_up_rest(const struct engine *engine, const struct report_part *part,
			struct table *table, size_t limit)
{
	size_t last = last_rows(table), all = table->row_count - last;
	size_t shown = limit && limit < all ? limit : all, row_size;
	ended_by(strbuf_free) struct strbuf label = {0};

	if (shown < all) {
		strbuf_printf(&label, "(%zu more)", all - shown);
		add_sum(part, table, shown, all, strbuf_text(&label));
		row_size = table->column_count * sizeof(struct cell);
		memcpy(table_row(table, shown), table_row(table, all + last), row_size);
		memmove(table_row(table, shown + 1), table_row(table, all),
			last * row_size);
		table->row_count = shown + 1 + last;
	}
	if (!engine->ask.input->options->machine && table->row_count > 1)
		add_sum(part, table, 0, table->row_count, "total");
}

/* Moves the sort column to the front for people: that of --sort, "by", or the one that
 * "-sorted" names. */
static void lead_with_sorted(const struct engine *engine, const struct report_part *part,
			     struct table *table)
{
	const char *own = table->row_count ? engine_text_at(table, 0, "sorted") : NULL;
	int number = table_column(table, own ? own : part->by ? part->by : "");

	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].flags & COLUMN_SORTED) {
			number = (int)i;
			table->columns[i].flags &= ~(unsigned)COLUMN_MACHINE;
		}
	if (number < 0 || (table->columns[number].flags & COLUMN_MACHINE))
		return;
	table->columns[number].flags |= COLUMN_SORTED | COLUMN_KEEP;
	if (!engine->ask.input->options->machine)
		table_lead(table, (size_t)number);
}

/* Sorts by --sort; the last rows stay in place. */
static void sort_rows(struct engine *engine, struct table *table)
{
	size_t last = last_rows(table), size = table->column_count * sizeof(struct cell);
	auto_free struct cell *kept = xcalloc(last + 1, size + 1);

	table->row_count -= last;
	if (last)
		memcpy(kept, table_row(table, table->row_count), last * size);
	report_sort_asked(engine->ask.input, table);
	for (size_t i = 0; i < last; i++)
		memcpy(table_add_row(table), kept + i * table->column_count, size);
}

static void add_table(struct engine *engine, const struct report_part *part,
		      struct table *table)
{
	struct report_input *input = engine->ask.input;
	size_t limit = rows_of(engine, part, table);
	int64_t about = said(table, "about");
	bool is_there = table->row_count || !(part->flags & PART_OPTIONAL);
	bool is_for_machines = !table->row_count && (part->flags & PART_QUIET);
	const char *title = table->row_count
				    ? engine_sentence(engine, part->title, table, 0)
			    : is_for_machines ? NULL
					      : part->title;
	const char *words = NULL, *shown = NULL, *footer = NULL,
		   *noun = part->noun ? part->noun : "row";
	struct section *section;
	bool is_main;

	if (part->by)
		table_sort(table, table_column(table, part->by),
			   table_column(table, part->tie));
	for (size_t i = 0; i < table->column_count && table->row_count; i++)
		table->columns[i].title =
			engine_sentence(engine, table->columns[i].title, table, 0);
	if (!is_there)
		return;
	if (input->options->sort && (part->flags & PART_SORT) && !engine->is_brief)
		sort_rows(engine, table);
	if (part->rest) {
		sum_up_rest(engine, part, table, limit);
		limit = 0;
	}
	if (part->show)
		table_show(table, part->show);
	is_for_machines |= said(table, "for_machines") != 0;
	is_main = said(table, "for_csv") != 0 || (part->flags & PART_PAGE_MAIN);
	if (table->row_count) {
		shown = engine_sentence(engine, engine_text_at(table, 0, "shown"), table,
					0);
		words = engine_sentence(engine, part->weight_words, table, 0);
		footer = engine_sentence(engine, engine_text_at(table, 0, "footer"),
					 table, 0);
		noun = engine_sentence(engine, noun, table, 0);
	}
	if (shown)
		table_show(table, shown);
	lead_with_sorted(engine, part, table);
	table_hide_zeros(table);
	section = report_add_table(engine->doc, part->name, title, table,
				   (part->flags & PART_HALF) && limit > 1 ? limit / 2
									  : limit,
				   noun, part->weight, words);
	section->flags = part->section_flags | (is_for_machines ? SECTION_MACHINE : 0);
	if (engine->is_brief) /* csv shows one table of the page */
		section->flags &= ~(unsigned)SECTION_MAIN;
	section->flags |= is_main ? SECTION_MAIN : 0;
	section->about = about;
	if (footer) {
		section->footer = *footer ? footer : NULL;
		section->total_row_count = (size_t)said(table, "of_rows");
	}
	columns_drop_hidden(table);
	finish_cells(engine, part, table);
	keep_order(engine, part, table);
}

/* A range of rows as a table with texts of its own. */
static struct table *part_of(struct engine *engine, const struct table *table,
			     size_t first, size_t end)
{
	struct table *part = table_new(table->columns, table->column_count);

	for (size_t i = 0; i < part->column_count; i++) {
		part->columns[i].name = doc_copy(engine->doc, part->columns[i].name);
		part->columns[i].title = doc_copy(engine->doc, part->columns[i].title);
	}
	for (size_t i = first; i < end; i++) {
		struct cell *row = table_add_row(part);

		memcpy(row, table_row(table, i), table->column_count * sizeof(*row));
		for (size_t j = 0; j < table->column_count; j++)
			if (row[j].kind == CELL_TEXT)
				row[j].text = table_text(part, row[j].text).text;
	}
	return part;
}

size_t engine_rows_alike(const struct table *table, size_t first, const char *column)
{
	const struct cell *own = table_cell(table, first, column);
	size_t end = first + 1;

	while (end < table->row_count &&
	       cell_whole(table_cell(table, end, column)) == cell_whole(own))
		end++;
	return end;
}

void engine_add_tables(struct engine *engine, const struct report_part *part,
		       struct table *table)
{
	if (!part->each || !table->row_count)
		return add_table(engine, part, table);
	for (size_t first = 0, end; first < table->row_count; first = end) {
		end = engine_rows_alike(table, first, part->each);
		add_table(engine, part, part_of(engine, table, first, end));
	}
	table_free(table);
}
