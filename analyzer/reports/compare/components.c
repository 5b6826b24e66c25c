/* SPDX-License-Identifier: MIT */
/*
 * The components of a comparison, the largest difference first. Must not count anything
 * twice: a path belongs to one component.
 */
#include "analyzer/reports/compare/rows.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include <math.h>
#include <stdlib.h>

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

struct summing {
	struct components components;
	struct compare_series sums; /* by component; the metrics of paths */
	struct compare_judged *judged;
};

static void add_path(const struct compare_state *state, struct summing *summing,
		     uint32_t path)
{
	const struct compare_series *series = &state->comparison.path_values;
	uint32_t number = summing->components.paths[path];

	for (size_t metric = 0; metric < series->metric_count; metric++) {
		const int64_t *from = compare_values(series, path, metric);
		int64_t *to = compare_values(&summing->sums, number, metric);

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

static void sum_up(const struct compare_state *state, struct summing *summing)
{
	const struct compare_series *series = &state->comparison.path_values;
	struct compare_series *sums = &summing->sums;

	components_find(&summing->components, state->tree,
			components_by(state->input->options->by));
	*sums = (struct compare_series){.metric_count = series->metric_count,
					.run_count = series->run_count,
					.count = summing->components.names.count};
	sums->values = xcalloc(sums->count * sums->metric_count * sums->run_count + 1,
			       sizeof(*sums->values));
	for (uint32_t i = 0; i < series->count; i++)
		add_path(state, summing, i);
	summing->judged = compare_judge(state, sums, may_judge);
}

static void add_row(const struct compare_state *state, struct table *table,
		    const struct summing *summing, uint32_t number)
{
	size_t row = table->row_count;
	struct change self;

	table_add_row(table);
	compare_put_quantities(state, table, row, &summing->sums, number);
	self = compare_means(state, &summing->sums, number, COMPARE_self_ns);
	*table_cell(table, row, "self_difference_ns") =
		cell_real(self.after - self.before);
	compare_put_judged(state, table, row, &summing->judged[number]);
	*table_cell(table, row, "name") =
		table_text(table, intern_name(&summing->components.names, number));
}

static size_t rank(const struct compare_state *state, const struct summing *summing,
		   struct compare_ranked *ranked)
{
	for (uint32_t i = 0; i < summing->sums.count; i++) {
		struct change self = compare_means(state, &summing->sums, i,
						   compare_main_metric(state));

		ranked[i] = (struct compare_ranked){
			i, fabs(compare_known_difference(&self)), COMPARE_CHANGED};
	}
	if (summing->sums.count)
		qsort(ranked, summing->sums.count, sizeof(*ranked),
		      compare_largest_first);
	return summing->sums.count;
}

void compare_add_components(struct compare_state *state)
{
	struct summing summing = {0};
	struct table *table =
		compare_new_table(columns, sizeof(columns) / sizeof(columns[0]));
	struct compare_ranked *ranked;
	size_t count, shown;
	struct section *section;

	sum_up(state, &summing);
	ranked = xreallocarray(NULL, summing.sums.count + 1, sizeof(*ranked));
	count = rank(state, &summing, ranked);
	shown = compare_at_most(count, report_limit(state->input, COMPONENT_ROWS));
	for (size_t i = 0; i < shown; i++)
		add_row(state, table, &summing, ranked[i].number);
	compare_hide_zeros(table);
	compare_show_times(state, table);
	if (compare_is_pair(state))
		compare_hide(table, "effect");
	section = compare_add_table(state, "components", "Components", table);
	compare_put_footer(state, section, ranked, shown, count, "component",
			   compare_explained(state, &summing.sums, ranked, count, shown,
					     compare_main_metric(state)),
			   compare_has_cpu(state) ? "CPU time" : "self time");
	free(ranked);
	free(summing.judged);
	free(summing.sums.values);
	components_free(&summing.components);
}
