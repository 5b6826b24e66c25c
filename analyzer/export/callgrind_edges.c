/* SPDX-License-Identifier: MIT */
/* One walk over the nodes, which stand depth first. */
#include "analyzer/export/callgrind_edges.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"
#include "common/quantities.h"

#include <stdlib.h>

static void add(int64_t to[PROFILE_METRICS], const int64_t from[PROFILE_METRICS])
{
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		quantity_add(&to[i], from[i] > 0 ? from[i] : 0);
}

/* Of each node what it has itself and below. */
static int64_t (*sum_nodes(const struct profile *profile))[PROFILE_METRICS]
{
	int64_t(*sums)[PROFILE_METRICS] = xcalloc(profile->node_count + 1, sizeof(*sums));

	for (size_t i = 0; i < profile->sample_count; i++)
		add(sums[profile->samples[i].node], profile->samples[i].values);
	for (size_t i = profile->node_count; i-- > 0;)
		if (profile->nodes[i].parent != PROFILE_NONE)
			add(sums[profile->nodes[i].parent], sums[i]);
	return sums;
}

static int64_t *calls_of(const struct profile *profile)
{
	int64_t *calls = xcalloc(profile->node_count + 1, sizeof(*calls));

	for (size_t i = 0; i < profile->sample_count; i++)
		if (profile->samples[i].values[PROFILE_CALLS] > 0)
			quantity_add(&calls[profile->samples[i].node],
				     profile->samples[i].values[PROFILE_CALLS]);
	return calls;
}

static void add_edges(const struct profile *profile, struct callgrind_edges *edges)
{
	int64_t(*sums)[PROFILE_METRICS] = sum_nodes(profile);
	int64_t *calls = calls_of(profile);
	/* where the outermost one of each function ends, on the present path */
	uint32_t *ends = xcalloc(profile->function_count + 1, sizeof(*ends));
	struct map numbers = {0};
	size_t capacity = 0;

	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->nodes[i];
		uint32_t caller = node->parent == PROFILE_NONE
					  ? PROFILE_NONE
					  : profile->nodes[node->parent].function;
		bool is_new;
		uint32_t at = map_number(&numbers, caller, node->function, 0, &is_new);

		if (is_new) {
			edges->all = xgrow(edges->all, edges->count, &capacity,
					   sizeof(*edges->all));
			edges->all[edges->count++] = (struct callgrind_edge){
				.caller = caller, .callee = node->function};
		}
		quantity_add(&edges->all[at].calls, calls[i]);
		if (i < ends[node->function])
			continue;
		ends[node->function] = node->end;
		add(edges->all[at].costs, sums[i]);
	}
	map_done(&numbers);
	free(ends);
	free(calls);
	free(sums);
}

static int compare(const void *left, const void *right)
{
	const struct callgrind_edge *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

struct callgrind_edges callgrind_edges_of(const struct profile *profile)
{
	struct callgrind_edges edges = {
		.selves = xcalloc(profile->function_count + 1, sizeof(*edges.selves))};

	for (size_t i = 0; i < profile->sample_count; i++)
		add(edges.selves[profile->nodes[profile->samples[i].node].function],
		    profile->samples[i].values);
	add_edges(profile, &edges);
	if (edges.count)
		qsort(edges.all, edges.count, sizeof(*edges.all), compare);
	return edges;
}

void callgrind_edges_free(struct callgrind_edges *edges)
{
	free(edges->all);
	free(edges->selves);
	*edges = (struct callgrind_edges){0};
}
