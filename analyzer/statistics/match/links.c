/* SPDX-License-Identifier: MIT */
/* Who calls whom, of functions without a partner. */
#include "analyzer/statistics/match/links.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

void compare_add_edge(struct comparison *comparison, size_t run, uint32_t caller,
		      uint32_t callee)
{
	uint8_t side = run < comparison->before_count ? COMPARE_BEFORE : COMPARE_AFTER;
	bool is_new;

	map_number(&comparison->edge_keys, caller, callee, side, &is_new);
	if (!is_new)
		return;
	comparison->edges = xgrow(comparison->edges, comparison->edge_count,
				  &comparison->edge_capacity, sizeof(*comparison->edges));
	comparison->edges[comparison->edge_count++] =
		(struct compare_edge){caller, callee, side};
}

static void add(struct links *links, uint32_t owner, uint32_t other)
{
	links->list =
		xgrow(links->list, links->count, &links->capacity, sizeof(*links->list));
	links->list[links->count++] = (struct link){owner, other};
}

/* The link of one end of an edge to the other end. */
static void add_end(const struct comparison *comparison, struct links *links,
		    uint8_t side, uint32_t owner, uint32_t other, bool is_caller)
{
	if (comparison->functions[owner].presence != side)
		return;
	if (owner == other)
		add(links, owner, LINK_ITSELF);
	else if (comparison->functions[other].presence == COMPARE_BOTH)
		add(links, owner, 2 * other + is_caller);
	else
		add(links, owner, is_caller ? LINK_CALLER : LINK_CALLEE);
}

static int by_owner_and_other(const void *left, const void *right)
{
	const struct link *a = left, *b = right;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return (a->other > b->other) - (a->other < b->other);
}

struct links links_new(const struct comparison *comparison)
{
	size_t count = comparison->function_values.count, at = 0;
	struct links links = {0};

	for (size_t i = 0; i < comparison->edge_count; i++) {
		const struct compare_edge *edge = &comparison->edges[i];
		uint32_t caller = comparison->functions[edge->caller].merged_into;
		uint32_t callee = comparison->functions[edge->callee].merged_into;

		add_end(comparison, &links, edge->side, caller, callee, false);
		add_end(comparison, &links, edge->side, callee, caller, true);
	}
	if (links.count)
		qsort(links.list, links.count, sizeof(*links.list), by_owner_and_other);
	links.first = xreallocarray(NULL, count + 1, sizeof(*links.first));
	for (uint32_t i = 0; i <= count; i++) {
		while (at < links.count && links.list[at].owner < i)
			at++;
		links.first[i] = (uint32_t)at;
	}
	return links;
}

void links_free(struct links *links)
{
	free(links->list);
	free(links->first);
}

struct alike links_compare(const struct links *links, uint32_t before, uint32_t after)
{
	size_t i = links->first[before], i_end = links->first[before + 1];
	size_t j = links->first[after], j_end = links->first[after + 1];
	size_t common = 0, apart = 0;
	struct alike alike = {0};

	while (i < i_end || j < j_end) {
		const struct link *a = i < i_end ? &links->list[i] : NULL;
		const struct link *b = j < j_end ? &links->list[j] : NULL;

		if (a && b && a->other == b->other) {
			/* what is not known speaks neither for it nor against it */
			common += link_is_known(a) || a->other == LINK_ITSELF;
			alike.has_any |= link_is_known(a);
			alike.has_callee |= link_is_known(a) && a->other % 2 == 0;
			i++;
			j++;
		} else {
			apart++;
			if (!b || (a && a->other < b->other))
				i++;
			else
				j++;
		}
	}
	alike.share = common ? (double)common / (double)(common + apart) : 0;
	return alike;
}
