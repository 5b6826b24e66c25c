/* SPDX-License-Identifier: MIT */
/*
 * The components of a comparison, the largest difference first. Must not count anything
 * twice: a path belongs to one component.
 */
#include "analyzer/reports/compare/rows.h"

#include "common/base/intern.h"
#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPONENT_ROWS 15

static const struct column columns[] = {
	{"cpu_difference", "CPU +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"self_difference", "self +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"self_difference_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"before_self_ns", "before", COLUMN_NSEC, COLUMN_KEEP},
	{"after_self_ns", "after", COLUMN_NSEC, 0},
	{"before_self_cpu_ns", "before", COLUMN_NSEC, COLUMN_KEEP},
	{"after_self_cpu_ns", "after", COLUMN_NSEC, 0},
	COMPARE_EFFECT_COLUMNS,
	COMPARE_MOVED_COLUMNS,
	{"calls", "calls +-", COLUMN_FIGURE, COLUMN_HUMAN},
	{"before_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"after_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"allocs", "allocs +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	COMPARE_ALLOC_COLUMNS,
	TABLE_OTHERS,
	{"name", "component", COLUMN_NAME, COLUMN_KEEP},
};

struct walk {
	const struct comparison *comparison;
	struct component_namer namer;
	struct strbuf buffer;
	struct intern names;
	struct compare_series sums; /* by number in names; the metrics of paths */
	uint32_t *of_path;
	bool *is_named; /* the path: named, or below what is */
	struct compare_judged *judged;
};

static uint32_t number_of(struct walk *walk, const char *name)
{
	size_t width = walk->sums.metric_count * walk->sums.run_count;
	bool is_new;
	uint32_t number = intern_text(&walk->names, name, &is_new);

	if (is_new) {
		walk->sums.values = xgrow(walk->sums.values, number, &walk->sums.capacity,
					  width * sizeof(int64_t));
		memset(walk->sums.values + number * width, 0, width * sizeof(int64_t));
		walk->sums.count = number + 1;
	}
	return number;
}

/* Of the function, by itself; NULL: nothing names one. */
static const char *named_component(struct walk *walk,
				   const struct compare_function *function)
{
	if (function->component)
		return function->component;
	if (function->is_library || !component_namer_put(&walk->namer, function->name,
							 function->file, &walk->buffer))
		return NULL;
	return strbuf_text(&walk->buffer);
}

/* Parents come before their children. */
static uint32_t component_of(struct walk *walk, uint32_t path)
{
	const struct compare_path *at = &walk->comparison->paths[path];
	const struct compare_function *function =
		&walk->comparison->functions[at->function];
	bool has_parent = at->parent != COMPARE_NONE;
	const char *named = named_component(walk, function);

	walk->is_named[path] = named || (has_parent && walk->is_named[at->parent]);
	if (named)
		return number_of(walk, named);
	if (has_parent && (walk->is_named[path] || function->is_library))
		return walk->of_path[at->parent];
	return number_of(walk, function->module && *function->module ? function->module
								     : "(the program)");
}

static void add_path(struct walk *walk, uint32_t path)
{
	const struct compare_series *series = &walk->comparison->path_values;
	uint32_t number = component_of(walk, path);

	walk->of_path[path] = number;
	for (size_t metric = 0; metric < series->metric_count; metric++) {
		const int64_t *from = compare_values(series, path, metric);
		int64_t *to = compare_values(&walk->sums, number, metric);

		for (size_t run = 0; run < series->run_count; run++)
			if (__builtin_add_overflow(to[run], from[run], &to[run]))
				to[run] = from[run] < 0 ? INT64_MIN : INT64_MAX;
	}
}

static bool may_judge(const struct compare_state *state, uint32_t component)
{
	(void)component;
	return !state->not_comparable.parts;
}

static void sum_up(const struct compare_state *state, struct walk *walk)
{
	const struct compare_series *series = &walk->comparison->path_values;
	const struct comparison *comparison = walk->comparison;

	walk->namer.by = components_by(state->input->options->by);
	for (size_t i = 0; i < comparison->function_values.count; i++)
		if (!comparison->functions[i].is_library)
			component_namer_see(&walk->namer, comparison->functions[i].file);

	walk->sums.metric_count = series->metric_count;
	walk->sums.run_count = series->run_count;
	walk->of_path = xcalloc(series->count + 1, sizeof(*walk->of_path));
	walk->is_named = xcalloc(series->count + 1, sizeof(*walk->is_named));
	for (uint32_t i = 0; i < series->count; i++)
		add_path(walk, i);
	walk->judged = compare_judge(state, &walk->sums, may_judge);
}

static void add_row(const struct compare_state *state, struct table *table,
		    const struct walk *walk, uint32_t number)
{
	size_t row = table->row_count;
	struct change self;

	table_add_row(table);
	compare_put_quantities(state, table, row, &walk->sums, number);
	self = compare_means(state, &walk->sums, number, COMPARE_self_ns);
	*table_cell(table, row, "self_difference_ns") =
		cell_real(self.after - self.before);
	compare_put_judged(state, table, row, &walk->judged[number]);
	*table_cell(table, row, "name") =
		table_text(table, intern_name(&walk->names, number));
}

static size_t rank(const struct compare_state *state, const struct walk *walk,
		   struct compare_ranked *ranked)
{
	for (uint32_t i = 0; i < walk->sums.count; i++) {
		struct change self =
			compare_means(state, &walk->sums, i, compare_main_metric(state));

		ranked[i] = (struct compare_ranked){
			i, fabs(compare_known_difference(&self)), COMPARE_CHANGED};
	}
	if (walk->sums.count)
		qsort(ranked, walk->sums.count, sizeof(*ranked), compare_largest_first);
	return walk->sums.count;
}

void compare_add_components(struct compare_state *state)
{
	struct walk walk = {.comparison = &state->comparison};
	struct table *table =
		compare_new_table(columns, sizeof(columns) / sizeof(columns[0]));
	struct compare_ranked *ranked;
	size_t count, shown;
	struct section *section;

	sum_up(state, &walk);
	ranked = xreallocarray(NULL, walk.sums.count + 1, sizeof(*ranked));
	count = rank(state, &walk, ranked);
	shown = compare_at_most(count, report_limit(state->input, COMPONENT_ROWS));
	for (size_t i = 0; i < shown; i++)
		add_row(state, table, &walk, ranked[i].number);
	compare_hide_zeros(table);
	compare_show_times(state, table);
	if (compare_is_pair(state))
		compare_hide(table, "effect");
	section = compare_add_table(state, "components", "Components", table);
	compare_put_footer(state, section, ranked, shown, count, "component",
			   compare_explained(state, &walk.sums, ranked, count, shown,
					     compare_main_metric(state)),
			   compare_has_cpu(state) ? "CPU time" : "self time");
	free(ranked);
	free(walk.judged);
	free(walk.is_named);
	free(walk.of_path);
	free(walk.sums.values);
	strbuf_free(&walk.buffer);
	intern_free(&walk.names);
}
