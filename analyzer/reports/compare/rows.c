/* SPDX-License-Identifier: MIT */
/* What the tables of a comparison share: columns, cells. Must not know a single table. */
#include "analyzer/reports/compare/rows.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool compare_is_zero(const struct compare_series *series, uint32_t subject)
{
	const int64_t *values = compare_values(series, subject, 0);

	for (size_t i = 0; i < series->metric_count * series->run_count; i++)
		if (values[i])
			return false;
	return true;
}

bool compare_passes(const struct compare_state *state, uint32_t function)
{
	const struct compare_function *of = &state->comparison.functions[function];
	const struct filter *filter = &state->input->filter;

	return filter_passes_name(filter, of->name) ||
	       (of->is_renamed && filter_passes_name(filter, of->name_before));
}

void compare_put_match(struct table *table, size_t row, uint8_t presence, bool is_renamed)
{
	*table_cell(table, row, "match") = is_renamed
						   ? table_text(table, "renamed")
						   : compare_side_cell(table, presence);
	*table_cell(table, row, "status") = compare_status_cell(table, presence);
}

struct cell compare_side_cell(struct table *table, uint8_t presence)
{
	return table_text(table, presence == COMPARE_BOTH    ? ""
				 : presence == COMPARE_AFTER ? "new"
							     : "gone");
}

struct cell compare_status_cell(struct table *table, uint8_t presence)
{
	return table_text(table, presence == COMPARE_BOTH    ? "matched"
				 : presence == COMPARE_AFTER ? "new"
							     : "gone");
}

void compare_hide(struct table *table, const char *name)
{
	table->columns[table_column(table, name)].flags |= COLUMN_MACHINE;
}

struct section *compare_add_table(struct compare_state *state, const char *name,
				  const char *title, struct table *table)
{
	bool is_estimated = state->has_estimates && strcmp(name, "allocation_sites") != 0;
	struct section *section;

	if (table->row_count == 0) {
		char *sentence = xasprintf(
			"%s: %s.", title,
			state->not_comparable.parts && strcmp(name, "functions") == 0
				? "none with other calls or allocations"
			: is_estimated ? "no difference beyond their errors"
				       : "no difference");

		doc_note(state->doc, name, NOTE_PLAIN, sentence, NULL)->flags =
			SECTION_HUMAN;
		free(sentence);
	}
	section = doc_table(state->doc, name, title, table);
	if (table->row_count == 0)
		section->flags = SECTION_MACHINE;
	return section;
}

/* A column without a single text says nothing. */
bool compare_hide_empty(struct table *table, const char *name)
{
	int column = table_column(table, name);

	for (size_t i = 0; i < table->row_count; i++)
		if (*table_row(table, i)[column].text)
			return false;
	table->columns[column].flags |= COLUMN_MACHINE;
	return true;
}

/* Two columns of a metric's means. */
struct change compare_put_means(const struct compare_state *state, struct table *table,
				size_t row, const struct compare_series *series,
				uint32_t subject, size_t metric, const char *before,
				const char *after)
{
	struct change change = compare_means(state, series, subject, metric);
	bool pair = compare_is_pair(state);

	*table_cell(table, row, before) = pair ? cell_integer(whole_number(change.before))
					       : cell_real(change.before);
	*table_cell(table, row, after) =
		pair ? cell_integer(whole_number(change.after)) : cell_real(change.after);
	return change;
}

/* The tables place these themselves. */
#define PLACED "self_ns self_cpu_ns total_ns calls alloc_bytes alloc_count"

static const char *join(struct arena *texts, const char *before, const char *after)
{
	char *text = xasprintf("%s%s", before, after);
	const char *copy = arena_copy(texts, text, strlen(text));

	free(text);
	return copy;
}

static size_t add_other(struct column *columns, struct arena *texts,
			const struct quantity *quantity)
{
	enum column_type type = quantity_column_type(quantity);
	size_t count = 0;

	if (quantity->shown != QUANTITY_NEVER)
		columns[count++] =
			(struct column){join(texts, quantity->name, "_difference"),
					join(texts, quantity->heading, " +-"),
					COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP};
	columns[count++] = (struct column){join(texts, "before_", quantity->name), NULL,
					   type, COLUMN_MACHINE};
	columns[count++] = (struct column){join(texts, "after_", quantity->name), NULL,
					   type, COLUMN_MACHINE};
	return count;
}

struct table *compare_new_table(const struct column *layout, size_t count)
{
	const struct quantity *others[QUANTITY_NUMBERS];
	size_t other_count = table_others(QUANTITY_OF_COMPARED, PLACED, others);
	struct column *columns =
		xreallocarray(NULL, count + 3 * other_count, sizeof(*columns));
	struct arena texts = {0};
	struct table *table;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(layout[i].name, "*") != 0) {
			columns[used++] = layout[i];
			continue;
		}
		for (size_t j = 0; j < other_count; j++)
			used += add_other(columns + used, &texts, others[j]);
	}
	table = table_new(columns, used);
	table->texts = texts;
	free(columns);
	return table;
}

/* What people see of the difference; allocations of a function are those it led to. */
static const char *difference_column(const struct compare_state *state,
				     const struct compare_series *series,
				     enum quantity_number number, struct arena *texts)
{
	switch (number) {
	case QUANTITY_self_ns:
		return "self_difference";
	case QUANTITY_self_cpu_ns:
		return "cpu_difference";
	case QUANTITY_calls:
		return "calls";
	case QUANTITY_alloc_count:
		return series == &state->comparison.function_values ? "" : "allocs";
	default:
		return join(texts, quantities[number].name, "_difference");
	}
}

void compare_put_quantities(const struct compare_state *state, struct table *table,
			    size_t row, const struct compare_series *series,
			    uint32_t subject)
{
	const struct quantity_list *list = &quantity_lists[QUANTITY_OF_COMPARED];

	for (size_t i = 0; i < list->count; i++) {
		const struct quantity *quantity = &quantities[list->numbers[i]];
		struct change change = compare_means(state, series, subject, i);
		struct arena texts = {0};
		const char *before = join(&texts, "before_", quantity->name);
		int column =
			table_column(table, difference_column(state, series,
							      list->numbers[i], &texts));

		if (table_column(table, before) >= 0)
			compare_put_means(state, table, row, series, subject, i, before,
					  join(&texts, "after_", quantity->name));
		if (column >= 0)
			table_row(table, row)[column] = compare_difference(
				table, change.after - change.before,
				change_error(&change), quantity_column_type(quantity));
		arena_free(&texts);
	}
}

void compare_hide_zeros(struct table *table)
{
	const struct quantity *others[QUANTITY_NUMBERS];
	size_t count = table_others(QUANTITY_OF_COMPARED, PLACED, others);

	for (size_t i = 0; i < count; i++) {
		struct arena texts = {0};

		if (others[i]->shown == QUANTITY_NONZERO &&
		    table_sum(table, join(&texts, "before_", others[i]->name)) == 0 &&
		    table_sum(table, join(&texts, "after_", others[i]->name)) == 0)
			compare_hide(table, join(&texts, others[i]->name, "_difference"));
		arena_free(&texts);
	}
}

static void put_effect(struct table *table, size_t row, const struct change *change)
{
	struct strbuf text = {0};

	*table_cell(table, row, "verdict") =
		table_text(table, outcome_word(change->outcome));
	if (change->is_tested) {
		double low = 100 * (change->ratio.low - 1);
		double high = 100 * (change->ratio.high - 1);

		if (compare_is_known(change))
			strbuf_printf(&text, "%+.1f, %+.1f%%", low, high);
		*table_cell(table, row, "change_percent") =
			cell_real(100 * (change->ratio.estimate - 1));
		*table_cell(table, row, "low_percent") = cell_real(low);
		*table_cell(table, row, "high_percent") = cell_real(high);
		*table_cell(table, row, "p_adjusted") = cell_real(change->p);
	}
	*table_cell(table, row, "effect") = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
}

static void put_range(struct table *table, size_t row, const struct change *change,
		      const char *low, const char *high)
{
	if (!change->is_tested)
		return;
	*table_cell(table, row, low) = cell_real(100 * (change->ratio.low - 1));
	*table_cell(table, row, high) = cell_real(100 * (change->ratio.high - 1));
}

void compare_put_judged(const struct compare_state *state, struct table *table,
			size_t row, const struct compare_judged *judged)
{
	static const char *const words[] = {"wall", "cpu"};

	put_effect(table, row, compare_main(state, judged));
	*table_cell(table, row, "judged_by") =
		table_text(table, words[compare_has_cpu(state)]);
	*table_cell(table, row, "moved") = compare_moved_cell(table, judged, false);
	*table_cell(table, row, "waits") = compare_moved_cell(table, judged, true);
	*table_cell(table, row, "wall_verdict") =
		table_text(table, outcome_word(judged->self.outcome));
	put_range(table, row, &judged->self, "wall_low_percent", "wall_high_percent");
	*table_cell(table, row, "ready_verdict") =
		table_text(table, outcome_word(judged->ready.outcome));
	*table_cell(table, row, "blocked_verdict") =
		table_text(table, outcome_word(judged->blocked.outcome));
}

/* A column of dashes says nothing. */
static void hide_unjudged(struct table *table)
{
	int column = table_column(table, "verdict");

	for (size_t i = 0; i < table->row_count; i++)
		if (strcmp(table_row(table, i)[column].text, "-") != 0)
			return;
	table->columns[column].flags |= COLUMN_MACHINE;
}

/* There may be no room for it. */
static void keep_not(struct table *table, const char *name)
{
	int column = table_column(table, name);

	if (column >= 0)
		table->columns[column].flags &= ~(unsigned)COLUMN_KEEP;
}

void compare_show_times(const struct compare_state *state, struct table *table)
{
	static const char *const of_self[] = {"self_difference", "before_self_ns",
					      "after_self_ns"};
	static const char *const of_cpu[] = {"cpu_difference", "before_self_cpu_ns",
					     "after_self_cpu_ns"};

	for (size_t i = 0; i < sizeof(of_self) / sizeof(*of_self); i++)
		compare_hide(table, compare_has_cpu(state) ? of_self[i] : of_cpu[i]);
	/* The words matter more than how much. */
	keep_not(table, "self_ready_ns_difference");
	keep_not(table, "self_blocked_ns_difference");
	if (!compare_hide_empty(table, "waits"))
		keep_not(table, "match");
	hide_unjudged(table);
}
