/* SPDX-License-Identifier: MIT */
/* From the sample outwards. */
#include "collector/account/sampled/trail.h"

static void add_places(struct trail *trail, const struct identify *identify,
		       const uint32_t *is_counted, uint32_t place)
{
	const struct identify_place *places = identify->places + place;

	for (uint32_t i = 0; place < identify->place_count && i < places->chain_count;
	     i++)
		if (is_counted[places[i].function] && trail->count < TRAIL_MOST)
			trail->functions[trail->count++] = places[i].function;
}

void trail_find(struct trail *ret, const struct merge *merge, const uint32_t *is_counted,
		const struct sampled_row *row)
{
	const struct merge_path *path = &merge->paths[row->path];
	uint32_t caller = row->caller;

	ret->count = 0;
	add_places(ret, &merge->identify, is_counted, row->place);
	while (caller && caller != SAMPLED_FRAME) {
		add_places(ret, &merge->identify, is_counted,
			   merge->sampled.callers[caller].place);
		caller = merge->sampled.callers[caller].caller;
	}
	ret->is_whole = caller == SAMPLED_FRAME;
	if (ret->is_whole && ret->count && row->path &&
	    ret->functions[ret->count - 1] == path->function)
		ret->count--;
}

uint32_t trail_credit(const struct trail *trail, const struct merge *merge,
		      const struct sampled_row *row)
{
	if (trail->count)
		return trail->functions[0];
	return trail->is_whole && row->path ? merge->paths[row->path].function
					    : row->outer_function;
}

/* Behind calls of the last one by itself. */
static uint32_t skip_recursion(const struct trail *trail, uint32_t at)
{
	while (at && at < trail->count &&
	       trail->functions[at] == trail->functions[at - 1])
		at++;
	return at;
}

uint32_t trail_match(const struct trail *trail, const struct merge *merge,
		     uint32_t holder, uint32_t path)
{
	uint32_t at = 0, matched = 0;

	for (; path && path != holder; path = merge->paths[path].parent) {
		uint32_t function = merge->paths[path].function;

		if (merge->paths[path].kind != MERGE_FUNCTION)
			continue;
		if (at == trail->count || trail->functions[at] != function)
			at = skip_recursion(trail, at);
		if (at == trail->count || trail->functions[at] != function)
			return matched;
		at++;
		matched++;
	}
	at = skip_recursion(trail, at);
	return matched + (trail->is_whole && at == trail->count);
}
