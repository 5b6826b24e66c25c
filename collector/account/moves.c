/* SPDX-License-Identifier: MIT */
/*
 * Who holds the time of calls without a frame, and giving it to them. Must not take more
 * than there is.
 *
 * The time is with the innermost frame. A function above that is always recorded exactly
 * has one. One that is timed in windows has it for some of its calls, and in these the
 * calls below it may have been counted all the same; so many of them as are missing among
 * those with frames for the share of its own calls that has frames.
 */
#include "collector/account/moves.h"

#include <stdlib.h>

#include "common/base/array.h"

/* Paths above that are looked at one by one: their shares get less and less. */
#define CLIMB_MOST 64

static void append(struct moves *moves, const struct move *move)
{
	moves->all = array_room(moves->all, moves->count, sizeof(*moves->all));
	moves->all[moves->count++] = *move;
}

/* Do all of its calls have frames? */
static int is_exact(const struct merge_cell *cell)
{
	return cell->calls > 0 && !cell->counted_calls;
}

void moves_find_exact(const struct merge *merge, uint32_t *exact_above)
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

void moves_find(struct moves *moves, const struct merge *merge,
		const uint32_t *exact_above, uint32_t mode, uint32_t path, double calls)
{
	const struct merge_cell *own = &merge->cells[path];
	uint32_t at = merge->paths[path].parent, exact = exact_above[path];
	int is_caller = 1;

	for (int i = 0; i < CLIMB_MOST && at != exact; i++) {
		const struct merge_cell *cell = &merge->cells[at];

		if (cell->calls > 0) {
			double part = part_of(cell, own, calls, is_caller);

			is_caller = 0;
			if (part >= 1) {
				append(moves, &(struct move){path, at, mode, 1, part});
				calls -= part;
			}
		}
		at = merge->paths[at].parent;
	}
	if (calls > 0)
		append(moves, &(struct move){path, exact, mode, 0, calls});
}

/* Parents are first: they have what they get before they are taken from. */
static int by_holder(const void *a, const void *b)
{
	const struct move *left = a, *right = b;

	if (left->holder != right->holder)
		return left->holder < right->holder ? -1 : 1;
	return left->path < right->path ? -1 : left->path > right->path;
}

/* What nobody has is bounded by the time that the lane had. */
static int64_t room_outside(const struct merge *merge, int64_t wall_ns)
{
	for (size_t i = 0; i < merge->touched_count; i++) {
		uint32_t path = merge->touched[i];

		if (!merge->paths[path].parent)
			wall_ns -= merge->cells[path].raw_total_ns;
		if (wall_ns <= 0)
			return 0;
	}
	return wall_ns;
}

/* A product as whole ns, not more than there is. */
static int64_t part_ns(double ns, int64_t room)
{
	if (!(ns > 0))
		return 0;
	return ns < (double)room ? (int64_t)ns : room;
}

static void make_errors(const struct move *move, struct merge *merge,
			const struct rate *rate, const struct hook_cost *cost,
			double share)
{
	double lost = (1 - share) * rate->ns;
	struct time_error error = {
		.hooks = (float)(move->calls * rate->hooks_ns),
		.split = (float)(move->calls * rate->split_ns),
		.estimate = (float)(move->calls * (rate->error_ns + lost))};

	time_error_add(&merge->cells[move->path].self_error, &error);
	if (!move->holder)
		return;
	error = (struct time_error){
		.hooks = -error.hooks,
		.split = -error.split,
		.estimate = -error.estimate,
		.counted = (float)(move->calls * cost->counted_error_ns)};
	time_error_add(&merge->cells[move->holder].self_error, &error);
}

static void make(const struct move *move, struct merge *merge, const struct rate *rate,
		 const struct hook_cost *cost, double share, int64_t *room)
{
	int64_t given = part_ns(move->calls * rate->ns * share, *room), counting;

	*room -= given;
	quantity_add(&merge->cells[move->path].self_ns, given);
	make_errors(move, merge, rate, cost, share);
	if (!move->holder)
		return;
	counting = part_ns(move->calls * cost->counted_ns * share, *room);
	*room -= counting;
	merge->cells[move->holder].self_ns -= given + counting;
}

/* What one holder is asked for, and what of it there is. */
static double share_of(const struct move *moves, size_t count, const struct rate *rates,
		       const struct hook_cost *cost, int64_t room)
{
	double wanted = 0, counting = moves->holder ? cost->counted_ns : 0;

	for (size_t i = 0; i < count; i++)
		wanted += moves[i].calls * (rates[moves[i].mode].ns + counting);
	return wanted > (double)room ? (double)room / wanted : 1;
}

void moves_make(struct move *moves, size_t count, struct merge *merge,
		const struct rate *rates, const struct hook_cost *cost, int64_t wall_ns)
{
	size_t end;

	qsort(moves, count, sizeof(*moves), by_holder);
	for (size_t i = 0; i < count; i = end) {
		int64_t room = moves[i].holder ? merge->cells[moves[i].holder].self_ns
					       : room_outside(merge, wall_ns);
		double share;

		for (end = i + 1; end < count && moves[end].holder == moves[i].holder;)
			end++;
		share = share_of(&moves[i], end - i, rates, cost, room);
		if (share < 1)
			merge_add(&merge->refused_estimate_count, end - i);
		for (; i < end; i++)
			make(&moves[i], merge, &rates[moves[i].mode], cost, share, &room);
	}
}

void moves_done(struct moves *moves)
{
	free(moves->all);
	*moves = (struct moves){NULL, 0};
}
