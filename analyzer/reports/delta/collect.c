/* SPDX-License-Identifier: MIT */
/*
 * Summing up what changed, by path, function, line or component. Must not lose a site:
 * what is taken out is summed up, too.
 */
#include "analyzer/reports/delta/parts.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

uint32_t delta_function_of(const struct delta *delta, const struct delta_change *change)
{
	return change->owner == CALLTREE_NONE
		       ? CALLTREE_NONE
		       : delta->tree->nodes[change->owner].function;
}

static int compare_keys(const void *left, const void *right, void *context)
{
	const struct delta *delta = context;
	const struct delta_change *a = left, *b = right;
	int64_t x = a->site->site_id, y = b->site->site_id;

	switch (delta->by) {
	case DELTA_BY_PATH:
		break;
	case DELTA_BY_FUNCTION:
		x = delta_function_of(delta, a);
		y = delta_function_of(delta, b);
		break;
	case DELTA_BY_LINE:
		if (compare_texts(a->site->place.file, b->site->place.file) != 0)
			return compare_texts(a->site->place.file, b->site->place.file);
		/* a definition may be on the line of a call */
		x = a->site->place.line * 2ull + a->site->place.is_definition;
		y = b->site->place.line * 2ull + b->site->place.is_definition;
		break;
	case DELTA_BY_COMPONENT:
		return strcmp(delta_component(delta, a->site->node),
			      delta_component(delta, b->site->node));
	}
	return (x > y) - (x < y);
}

static int compare_results(const void *left, const void *right)
{
	const struct delta_change *a = left, *b = right;
	int order = delta_compare(&a->result, &b->result);

	if (order == 0)
		order = (a->site->site_id > b->site->site_id) -
			(a->site->site_id < b->site->site_id);
	return order;
}

static void merge_same(struct delta_changes *changes)
{
	struct delta_change *list = changes->list;
	size_t kept = 0;

	qsort_r(list, changes->count, sizeof(*list), compare_keys,
		(void *)changes->delta);
	for (size_t i = 0; i < changes->count; i++) {
		if (kept &&
		    compare_keys(&list[kept - 1], &list[i], (void *)changes->delta) == 0)
			delta_add(&list[kept - 1].entry, &list[i].entry);
		else
			list[kept++] = list[i];
	}
	changes->count = kept;
}

static bool has_changed(const struct delta_result *result)
{
	return result->live_delta_bytes || result->live_delta_count;
}

bool delta_has_allocated(const struct delta *delta, const struct delta_result *result)
{
	return delta->has_between && (result->alloc_count || result->alloc_bytes);
}

void delta_drop_unchanged(struct delta_changes *changes, bool for_people)
{
	const struct delta *delta = changes->delta;
	size_t kept = 0;

	for (size_t i = 0; i < changes->count; i++) {
		const struct delta_change change = changes->list[i];
		const struct delta_result *result = &change.result;

		if (has_changed(result) ||
		    (!for_people && delta_has_allocated(delta, result))) {
			changes->list[kept++] = change;
		} else if (change.entry.b.live_count || change.entry.b.live_bytes) {
			delta_add(&changes->unchanged, &change.entry);
			changes->unchanged_count++;
		}
	}
	changes->count = kept;
}

void delta_collect(struct report_input *input, const struct delta *delta,
		   struct delta_changes *ret)
{
	bool filtered = filter_is_active(&input->filter);

	*ret = (struct delta_changes){.delta = delta};
	ret->list = xcalloc(delta->site_count + 1, sizeof(*ret->list));
	for (size_t i = 0; i < delta->site_count; i++) {
		const struct delta_site *site = &delta->sites[i];
		struct delta_change *change = &ret->list[ret->count];

		if (filtered &&
		    (site->node == CALLTREE_NONE || !delta->passes[site->node]))
			continue;
		*change = (struct delta_change){.site = site, .entry = site->entry};
		change->owner = site->node == CALLTREE_NONE
					? CALLTREE_NONE
					: calltree_owner(delta->tree, site->node);
		delta_add(&ret->total, &site->entry);
		ret->count++;
	}
	merge_same(ret);
	for (size_t i = 0; i < ret->count; i++)
		ret->list[i].result = delta_of(&ret->list[i].entry);
	qsort(ret->list, ret->count, sizeof(*ret->list), compare_results);
}
