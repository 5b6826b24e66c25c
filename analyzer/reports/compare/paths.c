/* SPDX-License-Identifier: MIT */
/*
 * Call paths and allocation sites of a comparison, those with the largest share in the
 * difference first. Must not leave out what is new or gone.
 */
#include "analyzer/reports/compare/rows.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include <stdlib.h>

#define PATH_ROWS 5
#define SITE_ROWS 10

void compare_note_left_out(struct compare_state *state)
{
	const struct comparison *comparison = &state->comparison;
	struct strbuf text = {0};
	const char *example = NULL;
	int64_t count = 0;

	for (size_t i = 0; i < comparison->function_values.count; i++)
		if (comparison->functions[i].presence &&
		    comparison->functions[i].estimated)
			example = count++ ? example : comparison->functions[i].name;
	if (!count)
		return;
	units_counted(&text, count, "function");
	strbuf_printf(
		&text,
		" (such as '%s') %s left out of the paths: not every run timed each "
		"call, so paths would differ by how they were recorded. What %s there "
		"is with the callers.",
		example, count == 1 ? "is" : "are", count == 1 ? "it has" : "they have");
	doc_note(state->doc, "left_out_of_paths", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

static const struct column path_columns[] = {
	{"cpu_difference", "CPU +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"self_difference", "self +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"before_self_ns", "before", COLUMN_NSEC, COLUMN_KEEP},
	{"after_self_ns", "after", COLUMN_NSEC, 0},
	{"before_self_cpu_ns", "before", COLUMN_NSEC, COLUMN_KEEP},
	{"after_self_cpu_ns", "after", COLUMN_NSEC, 0},
	COMPARE_EFFECT_COLUMNS,
	COMPARE_MOVED_COLUMNS,
	{"before_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"after_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"calls", "calls +-", COLUMN_FIGURE, COLUMN_HUMAN},
	{"allocs", "allocs +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	COMPARE_ALLOC_COLUMNS,
	TABLE_OTHERS,
	{"match", "match", COLUMN_TEXT, COLUMN_HUMAN | COLUMN_KEEP},
	{"status", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"path", "call path", COLUMN_CHAIN, COLUMN_DETAIL},
};

/* Both sides of a metric and, where people look, what came to it. */
static void put_change(const struct compare_state *state, struct table *table, size_t row,
		       const struct compare_series *series, uint32_t number,
		       size_t metric, const char *before, const char *after,
		       const char *difference, enum column_type type)
{
	struct change change = compare_put_means(state, table, row, series, number,
						 metric, before, after);

	*table_cell(table, row, difference) = compare_difference(
		table, change.after - change.before, change_error(&change), type);
}

static bool may_judge(const struct compare_state *state, uint32_t number)
{
	const struct compare_path *path = &state->comparison.paths[number];

	return path->presence == COMPARE_BOTH && !path->is_left_out &&
	       compare_is_judged(state, path->function);
}

static void add_path(const struct compare_state *state, struct table *table,
		     uint32_t number, const struct compare_judged *judged)
{
	const struct compare_path *path = &state->comparison.paths[number];
	const struct compare_series *series = &state->comparison.path_values;
	size_t row = table->row_count;

	table_add_row(table);
	compare_put_quantities(state, table, row, series, number);
	compare_put_judged(state, table, row, judged);
	*table_cell(table, row, "match") = compare_side_cell(table, path->presence);
	*table_cell(table, row, "status") = compare_status_cell(table, path->presence);
	*table_cell(table, row, "name") =
		table_text(table, state->comparison.functions[path->function].name);
	*table_cell(table, row, "path") = report_chain(table, state->tree, number);
}

/* People see differences that are known; machines all that there are, so that they add up
 * to the run's. */
static bool is_shown(const struct compare_state *state, uint32_t path, double share)
{
	struct change self;

	if (share > 0 || !state->input->options->machine)
		return share > 0;
	self = compare_means(state, &state->comparison.path_values, path,
			     COMPARE_self_ns);
	return self.before != self.after;
}

void compare_add_paths(struct compare_state *state)
{
	const struct compare_series *series = &state->comparison.path_values;
	struct compare_ranked *ranked =
		xreallocarray(NULL, series->count + 1, sizeof(*ranked));
	struct table *table = compare_new_table(
		path_columns, sizeof(path_columns) / sizeof(path_columns[0]));
	size_t limit = report_limit(state->input, PATH_ROWS), count = 0, shown;
	struct compare_judged *judged = compare_judge(state, series, may_judge);

	for (uint32_t i = 0; i < series->count; i++) {
		if (!compare_passes(state, state->comparison.paths[i].function))
			continue;
		ranked[count] = compare_rank(state, series, i, &judged[i]);
		count += is_shown(state, i, ranked[count].share);
	}
	if (count)
		qsort(ranked, count, sizeof(*ranked), compare_largest_first);
	shown = compare_to_show(state, ranked, count, limit);
	for (size_t i = 0; i < shown; i++)
		add_path(state, table, ranked[i].number, &judged[ranked[i].number]);
	compare_hide_empty(table, "match");
	compare_hide_zeros(table);
	compare_show_times(state, table);
	compare_hide(table, "effect");
	compare_put_footer(state,
			   compare_add_table(state, "call_paths", "Call paths", table),
			   ranked, shown, count, "changed path",
			   compare_explained(state, series, ranked, count, shown,
					     compare_main_metric(state)),
			   compare_has_cpu(state) ? "CPU time" : "self time");
	compare_note_left_out(state);
	free(ranked);
	free(judged);
}

static const struct column site_columns[] = {
	{"bytes_difference", "bytes +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"before_alloc_bytes", "before", COLUMN_BYTES, COLUMN_KEEP},
	{"after_alloc_bytes", "after", COLUMN_BYTES, COLUMN_KEEP},
	{"allocs", "allocs +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"before_alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"after_alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"before_live_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"after_live_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"before_at_peak_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"after_at_peak_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	COMPARE_MATCH_COLUMNS,
	{"owner", "function", COLUMN_NAME, COLUMN_KEEP},
	{"file", "where", COLUMN_LOCATION, COLUMN_KEEP},
	{"path", "call path", COLUMN_CHAIN, COLUMN_DETAIL},
};

/* The function that led to the allocations, not strdup(). */
static uint32_t site_owner(const struct compare_state *state, uint32_t site)
{
	const struct comparison *comparison = &state->comparison;

	return comparison->paths[compare_owner(comparison, comparison->sites[site].path)]
		.function;
}

static void add_site(const struct compare_state *state, struct table *table,
		     uint32_t number)
{
	const struct compare_site *site = &state->comparison.sites[number];
	const struct compare_series *series = &state->comparison.site_values;
	size_t row = table->row_count;
	struct cell *cell;

	table_add_row(table);
	put_change(state, table, row, series, number, COMPARE_SITE_alloc_bytes,
		   "before_alloc_bytes", "after_alloc_bytes", "bytes_difference",
		   COLUMN_BYTES);
	put_change(state, table, row, series, number, COMPARE_SITE_alloc_count,
		   "before_alloc_count", "after_alloc_count", "allocs", COLUMN_COUNT);
	compare_put_means(state, table, row, series, number, COMPARE_SITE_live_bytes,
			  "before_live_bytes", "after_live_bytes");
	compare_put_means(state, table, row, series, number, COMPARE_SITE_at_peak_bytes,
			  "before_at_peak_bytes", "after_at_peak_bytes");
	compare_put_match(table, row, site->presence, false);
	*table_cell(table, row, "owner") = table_text(
		table, state->comparison.functions[site_owner(state, number)].name);
	cell = table_cell(table, row, "file");
	*cell = table_text(table, site->file);
	cell->line =
		site->presence & COMPARE_AFTER ? site->line_after : site->line_before;
	*table_cell(table, row, "path") = report_chain(table, state->tree, site->path);
}

void compare_add_sites(struct compare_state *state)
{
	const struct compare_series *series = &state->comparison.site_values;
	struct compare_ranked *ranked =
		xreallocarray(NULL, series->count + 1, sizeof(*ranked));
	struct table *table =
		table_new(site_columns, sizeof(site_columns) / sizeof(site_columns[0]));
	size_t limit = report_limit(state->input, SITE_ROWS), count = 0, shown;

	for (uint32_t i = 0; i < series->count; i++) {
		const struct compare_site *site = &state->comparison.sites[i];
		double share = compare_share(state, series, i);

		if (site->presence && share > 0 &&
		    compare_passes(state, site_owner(state, i)))
			ranked[count++] =
				(struct compare_ranked){i, share, COMPARE_CHANGED};
	}
	if (count)
		qsort(ranked, count, sizeof(*ranked), compare_largest_first);
	shown = compare_at_most(count, limit);
	for (size_t i = 0; i < shown; i++)
		add_site(state, table, ranked[i].number);
	compare_hide_empty(table, "match");
	compare_put_footer(
		state,
		compare_add_table(state, "allocation_sites", "Allocation sites", table),
		ranked, shown, count, "changed site",
		compare_explained(state, series, ranked, count, shown,
				  COMPARE_SITE_alloc_bytes),
		"bytes");
	free(ranked);
}
