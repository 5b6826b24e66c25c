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
	int64_t(*sums)[PROFILE_METRICS] =
		xcalloc(profile->tree->node_count + 1, sizeof(*sums));

	for (size_t i = 0; i < profile->sample_count; i++)
		add(sums[profile->samples[i].node], profile->samples[i].values);
	for (size_t i = profile->tree->node_count; i-- > 0;)
		if (profile->tree->nodes[i].parent != PROFILE_NONE)
			add(sums[profile->tree->nodes[i].parent], sums[i]);
	return sums;
}

static int64_t *calls_of(const struct profile *profile)
{
	int64_t *calls = xcalloc(profile->tree->node_count + 1, sizeof(*calls));

	for (size_t i = 0; i < profile->sample_count; i++)
		if (profile->samples[i].values[PROFILE_CALLS] > 0)
			quantity_add(&calls[profile->samples[i].node],
				     profile->samples[i].values[PROFILE_CALLS]);
	return calls;
}

static bool *outermost_of_functions(const struct calltree *tree)
{
	uint32_t *functions = calltree_numbers(tree);
	bool *outermost;

	for (size_t i = 0; i < tree->node_count; i++)
		functions[i] = tree->nodes[i].function;
	outermost = calltree_outermost(tree, functions, tree->function_count);
	free(functions);
	return outermost;
}

static void add_edges(const struct profile *profile, struct callgrind_edges *edges)
{
	const struct calltree *tree = profile->tree;
	int64_t(*sums)[PROFILE_METRICS] = sum_nodes(profile);
	int64_t *calls = calls_of(profile);
	bool *outermost = outermost_of_functions(tree);
	struct map numbers = {0};
	size_t capacity = 0;

	for (size_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		uint32_t caller = node->parent == CALLTREE_NONE
					  ? PROFILE_NONE
					  : tree->nodes[node->parent].function;
		bool is_new;
		uint32_t at = map_number(&numbers, caller, node->function, 0, &is_new);

		if (is_new) {
			edges->all = xgrow(edges->all, edges->count, &capacity,
					   sizeof(*edges->all));
			edges->all[edges->count++] = (struct callgrind_edge){
				.caller = caller, .callee = node->function};
		}
		quantity_add(&edges->all[at].calls, calls[i]);
		if (outermost[i])
			add(edges->all[at].costs, sums[i]);
	}
	map_done(&numbers);
	free(outermost);
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
	struct callgrind_edges edges = {.selves =
						xcalloc(profile->tree->function_count + 1,
							sizeof(*edges.selves))};

	for (size_t i = 0; i < profile->sample_count; i++)
		add(edges.selves[profile->tree->nodes[profile->samples[i].node].function],
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
