/* SPDX-License-Identifier: MIT */
/*
 * The components of a comparison. Must not count anything twice: a path belongs to one
 * component.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

static void add_path(struct compare_state *state, const uint32_t *numbers, uint32_t path)
{
	const struct compare_series *series = &state->comparison.path_values;
	uint32_t number = numbers[path];

	for (size_t metric = 0; metric < series->metric_count; metric++) {
		const int64_t *from = compare_values(series, path, metric);
		int64_t *to = compare_values(&state->component_values, number, metric);

		for (size_t run = 0; run < series->run_count; run++)
			quantity_add(&to[run], from[run]);
	}
}

void compare_sum_components(struct compare_state *state)
{
	const struct compare_series *series = &state->comparison.path_values;
	struct compare_series *sums = &state->component_values;

	components_find(&state->components, state->tree,
			components_by(state->input->options->by));
	*sums = (struct compare_series){.metric_count = series->metric_count,
					.run_count = series->run_count,
					.count = state->components.names.count};
	sums->values = xcalloc(sums->count * sums->metric_count * sums->run_count + 1,
			       sizeof(*sums->values));
	for (uint32_t i = 0; i < series->count; i++)
		add_path(state, state->components.paths, i);
}
