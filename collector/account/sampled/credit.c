/* SPDX-License-Identifier: MIT */
/* Row by row. */
#include "collector/account/sampled/credit.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

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

/* Whose time the row is: the innermost function's, for code without hooks is part of who
 * calls it; without any that of the frame, or, where nobody knows who called it, of the
 * function that its address is in. */
static uint32_t trail_credit(const struct trail *trail, const struct merge *merge,
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

static int by_credit(const void *a, const void *b)
{
	const struct sampled_row *left = a, *right = b;

	return ORDER_BY_4(left, right, path, kind, credited_function, leaf_function);
}

static void sort(struct sampled_row *rows, size_t count)
{
	if (count)
		qsort(rows, count, sizeof(*rows), by_credit);
}

/* Code that was compiled without hooks, which no frame tells of. Calls of libc that have
 * a path do what libc does for them. Code without a name, as the kernel's vDSO, would be
 * a function at each address: it stays its caller's. */
static uint32_t leaf_of(const struct merge *merge, const struct sampled_row *row,
			const uint32_t *is_counted, const bool *has_hooks)
{
	const struct identify *identify = &merge->identify;
	const struct identify_place *places = identify->places + row->place;
	enum merge_kind kind = merge->paths[row->path].kind;

	if (kind == MERGE_WAIT || kind == MERGE_IO)
		return IDENTIFY_NONE;
	for (uint32_t i = 0;
	     row->place < identify->place_count && i < places->chain_count; i++)
		if (is_counted[places[i].function] || has_hooks[places[i].function])
			return IDENTIFY_NONE;
	if (row->outer_function == row->credited_function ||
	    row->outer_function >= identify->function_count ||
	    identify->functions[row->outer_function].naming == IDENTIFY_UNNAMED)
		return IDENTIFY_NONE;
	return row->outer_function;
}

void credit_lane(struct merge *merge, uint32_t lane, const uint32_t *is_counted,
		 const bool *has_hooks)
{
	struct sampled *sampled = &merge->sampled;
	size_t count,
		first = (size_t)(sampled_of_lane(sampled, lane, &count) - sampled->rows);

	for (size_t i = first; i < first + count; i++) {
		struct sampled_row *row = &sampled->rows[i];
		struct trail trail;

		row->credited_function = row->function;
		row->leaf_function = IDENTIFY_NONE;
		if (row->kind != SAMPLED_CODE)
			continue;
		trail_find(&trail, merge, is_counted, row);
		row->credited_function = trail_credit(&trail, merge, row);
		row->leaf_function = leaf_of(merge, row, is_counted, has_hooks);
	}
	sort(sampled->rows + first, count);
}

static int by_function(const void *key, const void *held)
{
	uint32_t function = *(const uint32_t *)key;
	uint32_t other = ((const struct held *)held)->function;

	return function < other ? -1 : function > other;
}

/* Calls in the time of one path, by function. */
struct placed {
	const struct merge *merge;
	uint32_t path;
	const struct held *held;
	size_t count;
};

/* Is the path called by one of the functions? Regions are no callers. */
static bool is_called_by(const struct merge *merge, uint32_t path,
			 const struct identify_place *callers, uint32_t count)
{
	do
		path = merge->paths[path].parent;
	while (path && merge->paths[path].kind != MERGE_FUNCTION);
	for (uint32_t i = 0; i < count; i++)
		if (callers[i].function == merge->paths[path].function)
			return true;
	return false;
}

/* Are calls of the function in the path's time, or is it the path's own? around: what a
 * copy is inlined into, from the inside; one of them must have called it. */
static bool is_placed(const struct placed *placed, uint32_t function,
		      const struct identify_place *around, uint32_t around_count)
{
	const struct held *first = NULL, *end = placed->held + placed->count;

	if (placed->path && placed->merge->paths[placed->path].function == function)
		return true;
	if (placed->count)
		first = bsearch(&function, placed->held, placed->count, sizeof(*first),
				by_function);
	if (!first || !around_count)
		return first;
	while (first > placed->held && first[-1].function == function)
		first--;
	for (; first < end && first->function == function; first++)
		if (is_called_by(placed->merge, first->path, around, around_count))
			return true;
	return false;
}

/* Of a copy that is placed nowhere it is still known which function it is built into. */
static uint32_t placed_credit(const struct placed *placed, const struct sampled_row *row)
{
	const struct identify *identify = &placed->merge->identify;
	const struct identify_place *places = identify->places + row->place;
	uint32_t count = row->place < identify->place_count ? places->chain_count : 0;
	uint32_t inner = 0;

	if (row->kind != SAMPLED_CODE)
		return row->credited_function;
	while (inner < count && places[inner].function != row->credited_function)
		inner++;
	if (inner == count)
		return is_placed(placed, row->credited_function, NULL, 0) ||
				       !is_placed(placed, row->outer_function, NULL, 0)
			       ? row->credited_function
			       : row->outer_function;
	for (uint32_t i = inner; i < count; i++)
		if (is_placed(placed, places[i].function, &places[i + 1], count - i - 1))
			return places[i].function;
	return row->outer_function;
}

struct sampled_row *credit_placed(const struct merge *merge,
				  const struct sampled_row *rows, size_t row_count,
				  const struct held *held, size_t held_count)
{
	struct placed by = {merge, row_count ? rows->path : 0, held, held_count};
	struct sampled_row *placed = NULL;

	for (size_t i = 0; i < row_count; i++) {
		uint32_t function = placed_credit(&by, &rows[i]);

		if (function == rows[i].credited_function)
			continue;
		if (!placed)
			placed = memcpy(xmalloc(row_count * sizeof(*placed)), rows,
					row_count * sizeof(*placed));
		placed[i].credited_function = function;
	}
	if (placed)
		sort(placed, row_count);
	return placed;
}
