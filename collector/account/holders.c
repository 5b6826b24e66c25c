/* SPDX-License-Identifier: MIT */
/* The innermost frames around calls without one. Must not take any time from them. */
#include "collector/account/holders.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

/* Paths above that are looked at one by one: their shares get less and less. */
#define CLIMB_MOST 64

/* Do all of its calls have frames? */
static int is_exact(const struct merge_cell *cell)
{
	return cell->calls > 0 && !cell->counted_calls;
}

void holders_find_exact(const struct merge *merge, uint32_t *exact_above)
{
	for (size_t i = 0; i < merge->touched_count; i++) {
		uint32_t path = merge->touched[i], parent = merge->paths[path].parent;

		exact_above[path] = parent && !is_exact(&merge->cells[parent])
					    ? exact_above[parent]
					    : parent;
	}
}

/* Of so many calls, those whose time is with the path `at`. is_caller: no path is between
 * them; then those of its calls that have frames know their own ones that have. */
static double part_of(const struct merge_cell *at, const struct merge_cell *own,
		      double calls, int is_caller)
{
	double share = (double)(at->calls - at->counted_calls) / (double)at->calls;
	double part = share * calls;

	if (is_caller)
		part = share * (double)own->calls -
		       (double)(own->calls - own->counted_calls);
	return part < calls ? part : calls;
}

static void hold(struct holders *holders, const struct held *calls, uint32_t holder,
		 double count)
{
	struct held held = *calls;

	held.holder = holder;
	held.counting = count;
	held.calls = calls->is_nested ? 0 : count;
	POOL_ADD(holders->pool, holders->all, holders->count) = held;
}

void holders_find(struct holders *holders, const struct merge *merge,
		  const uint32_t *exact_above, const struct held *calls)
{
	const struct merge_cell *own = &merge->cells[calls->path];
	uint32_t at = merge->paths[calls->path].parent, exact = exact_above[calls->path];
	int is_caller = !calls->is_nested;
	double left = calls->calls;

	if (calls->is_nested) {
		at = calls->path;
		exact = is_exact(own) ? at : exact;
	}
	for (int i = 0; i < CLIMB_MOST && at != exact; i++) {
		const struct merge_cell *cell = &merge->cells[at];

		if (cell->calls > 0) {
			double part = part_of(cell, own, left, is_caller);

			is_caller = 0;
			if (part >= 1) {
				hold(holders, calls, at, part);
				left -= part;
			}
		}
		at = merge->paths[at].parent;
	}
	if (left > 0)
		hold(holders, calls, exact, left);
}

void holders_note(struct merge *merge, const struct held *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].holder)
			merge->cells[all[i].holder].counting += all[i].counting;
}

/* More than any run takes, ns squared: a time is no longer than what was recorded. */
#define ANYTHING 1e36

void holders_doubt(struct merge *merge, const struct held *held)
{
	const struct merge_cell *holder = &merge->cells[held->holder];
	struct time_error *own = &merge->cells[held->path].self_error;
	int64_t most_ns =
		holder->self_ns - holder->self_ready_ns - holder->self_blocked_ns;

	if (!(held->calls > 0))
		return;
	if (!held->holder)
		own->variance = ANYTHING;
	else if (held->holder != held->path && most_ns > 0)
		time_error_doubt(own, &merge->cells[held->holder].self_error,
				 (double)most_ns);
}
