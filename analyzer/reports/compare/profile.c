/* SPDX-License-Identifier: MIT */
/*
 * The call paths of both sides, for the page that shows them beside each other. Must not
 * judge: it hands on what the runs say about each path.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/document/doc.h"

#include <math.h>
#include <stdlib.h>

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

/* Half of an interval, widened so that the estimate is in its middle. */
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

static uint32_t compare_path_of(const struct calltree_node *node)
{
	return (uint32_t)(node->path_id - 1);
}

static void judge_nodes(const struct compare_state *state, struct profile *profile)
{
	const struct compare_series *series = &state->comparison.path_values;

	for (uint32_t i = 0; i < profile->tree->node_count; i++) {
		struct calltree_node *node = &profile->tree->nodes[i];
		uint32_t path = compare_path_of(node);
		struct change self = compare_times(state, series, path, COMPARE_self_ns),
			      total = compare_times(state, series, path,
						    COMPARE_total_ns);

		node->recording = !is_proven(&total);
		node->self_error_ns = half_width(&self);
		node->total_error_ns = half_width(&total);
		profile->is_judged |=
			is_proven(&total) || total.outcome == OUTCOME_UNCHANGED;
	}
}

/* The mean over the runs of a side. */
static struct profile_sample mean(const struct compare_state *state,
				  const struct profile *profile, uint32_t node,
				  bool is_after)
{
	uint32_t path = compare_path_of(&profile->tree->nodes[node]);
	const struct compare_series *series = &state->comparison.path_values;
	struct profile_sample sample = {.node = node, .lane = PROFILE_NONE};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		sample.values[metrics[i].metric] =
			compare_side_mean(state, series, path, metrics[i].of, is_after);
	return sample;
}

static void add_samples(const struct compare_state *state, struct profile *profile)
{
	size_t count = profile->tree->node_count;
	struct profile_slot *before;

	before = profile->slots = xcalloc(1, sizeof(*profile->slots));
	profile->slot_count = 1;
	before->label = "before";
	before->samples = xcalloc(count + 1, sizeof(*before->samples));
	profile->samples = xcalloc(count + 1, sizeof(*profile->samples));
	before->sample_count = profile->sample_count = count;
	for (uint32_t i = 0; i < count; i++) {
		profile->samples[i] = mean(state, profile, i, true);
		before->samples[i] = mean(state, profile, i, false);
	}
}

void compare_add_profile(const struct compare_state *state)
{
	struct calltree *tree = compare_tree(state);
	struct profile *profile;

	free(calltree_settle(tree));
	/* errors of functions are each run's own and mean nothing here */
	for (size_t i = 0; i < tree->function_count; i++)
		tree->functions[i].function_id = 0;
	state->doc->profile = profile = profile_new(tree);
	profile->is_comparison = true;
	judge_nodes(state, profile);
	add_samples(state, profile);
	profile_settle(profile);
	if (!profile->is_judged)
		profile_remark(profile,
			       "Times are not judged: fewer than four comparable runs a "
			       "side prove no difference, so all frames are grey.");
	profile_remark(
		profile,
		"Means of the runs of each side. An interval is for one call path alone; "
		"only the tables' verdicts are corrected for the number of paths.");
}
