/* SPDX-License-Identifier: MIT */
/*
 * The call paths of both sides, for the page that shows them beside each other. Must not
 * judge: it hands on what the runs tell of each path.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/document/doc.h"

#include <math.h>
#include <string.h>

static const struct {
	enum profile_metric metric;
	enum compare_metric of;
} metrics[] = {
	{PROFILE_CALLS, COMPARE_calls},
	{PROFILE_WALL, COMPARE_self_ns},
	{PROFILE_CPU, COMPARE_self_cpu_ns},
	{PROFILE_READY, COMPARE_self_ready_ns},
	{PROFILE_BLOCKED, COMPARE_self_blocked_ns},
	{PROFILE_ALLOCS, COMPARE_alloc_count},
	{PROFILE_BYTES, COMPARE_alloc_bytes},
};

static void add_functions(const struct compare_state *state, struct profile *profile)
{
	const struct comparison *comparison = &state->comparison;

	profile->function_count = comparison->function_values.count;
	profile->functions =
		xcalloc(profile->function_count + 1, sizeof(*profile->functions));
	for (size_t i = 0; i < profile->function_count; i++) {
		const struct compare_function *one = &comparison->functions[i];

		profile->functions[i] = (struct profile_function){
			.name = profile_clean(profile, one->name),
			.file = profile_clean(profile, one->file),
			.line = one->line_after ? one->line_after : one->line_before,
			.is_library = one->is_library,
			.is_libc = one->is_libc};
	}
}

/* Half of an interval, as wide as it must be to hold the estimate in its middle. */
static int64_t half_width(const struct change *change)
{
	double middle = change->after - change->before;

	return change->is_tested ? whole_number(fmax(change->shift.high - middle,
						     middle - change->shift.low))
				 : 0;
}

static bool is_proven(const struct change *change)
{
	return change->outcome == OUTCOME_IMPROVED ||
	       change->outcome == OUTCOME_REGRESSED;
}

static void add_nodes(const struct compare_state *state, struct profile *profile)
{
	const struct comparison *comparison = &state->comparison;
	const struct compare_series *series = &comparison->path_values;

	profile->node_count = series->count;
	profile->nodes = xcalloc(series->count + 1, sizeof(*profile->nodes));
	for (uint32_t i = 0; i < series->count; i++) {
		const struct compare_path *path = &comparison->paths[i];
		struct profile_node *node = &profile->nodes[i];
		struct change self = compare_times(state, series, i, COMPARE_self_ns),
			      total = compare_times(state, series, i, COMPARE_total_ns);
		bool is_root = path->parent == COMPARE_NONE;

		*node = (struct profile_node){
			.parent = is_root ? PROFILE_NONE : path->parent,
			.function = path->function,
			.depth = is_root ? 1 : profile->nodes[path->parent].depth + 1,
			.first_id = i,
			.recording = !is_proven(&total),
			.self_error_ns = half_width(&self),
			.total_error_ns = half_width(&total)};
		profile->is_judged |=
			is_proven(&total) || total.outcome == OUTCOME_UNCHANGED;
		if (node->depth > profile->depth)
			profile->depth = node->depth;
	}
}

/* The mean of a path's runs of one side. */
static struct profile_sample mean(const struct compare_state *state, uint32_t path,
				  bool is_after)
{
	const struct compare_series *series = &state->comparison.path_values;
	size_t from = is_after ? state->before_columns : 0;
	size_t to = is_after ? state->column_count : state->before_columns;
	struct profile_sample sample = {.node = path, .lane = PROFILE_NONE};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		const int64_t *values = compare_values(series, path, metrics[i].of);
		double sum = 0;

		for (size_t j = from; j < to; j++)
			sum += (double)values[j];
		sample.values[metrics[i].metric] =
			whole_number(sum / (double)(to - from));
	}
	return sample;
}

static void add_samples(const struct compare_state *state, struct profile *profile)
{
	struct profile_slot *before;

	before = profile->slots = xcalloc(1, sizeof(*profile->slots));
	profile->slot_count = 1;
	before->label = "before";
	before->samples = xcalloc(profile->node_count + 1, sizeof(*before->samples));
	profile->samples = xcalloc(profile->node_count + 1, sizeof(*profile->samples));
	before->sample_count = profile->sample_count = profile->node_count;
	for (uint32_t i = 0; i < profile->node_count; i++) {
		profile->samples[i] = mean(state, i, true);
		before->samples[i] = mean(state, i, false);
	}
}

void compare_add_profile(const struct compare_state *state)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	state->doc->profile = profile;
	profile->is_comparison = true;
	add_functions(state, profile);
	add_nodes(state, profile);
	add_samples(state, profile);
	profile_settle(profile);
	if (!profile->is_judged)
		profile_remark(profile,
			       "Times are not judged: with fewer than four comparable "
			       "runs a side no difference of them is proven, so all are "
			       "grey.");
	profile_remark(profile, "Means of the runs of each side. An interval is that of "
				"a call path by itself, not corrected for their number; "
				"the tables' verdicts are.");
}
