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

#include <math.h>
#include <stdlib.h>

#include "collector/account/account.h"
#include "collector/account/elsewhere.h"
#include "common/base/array.h"
#include "common/base/xalloc.h"

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
		const uint32_t *exact_above, const struct move *calls)
{
	const struct merge_cell *own = &merge->cells[calls->path];
	uint32_t at = merge->paths[calls->path].parent, exact = exact_above[calls->path];
	struct move move = *calls;
	double left = calls->calls;
	int is_caller = !calls->is_nested;

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
				move.holder = at;
				move.is_hidden = 1;
				move.counting = part;
				move.calls = calls->is_nested ? 0 : part;
				append(moves, &move);
				left -= part;
			}
		}
		at = merge->paths[at].parent;
	}
	move.holder = exact;
	move.is_hidden = 0;
	move.counting = left;
	move.calls = calls->is_nested ? 0 : left;
	if (left > 0)
		append(moves, &move);
}

/* Parents are first: they have what they get before they are taken from. Of a holder what
 * is known to be below it. */
static int by_holder(const void *a, const void *b)
{
	const struct move *left = a, *right = b;

	if (left->holder != right->holder)
		return left->holder < right->holder ? -1 : 1;
	if (left->is_copy != right->is_copy)
		return right->is_copy - left->is_copy;
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

/* An estimate's error, which is at most what was recorded where the time is: they cannot
 * have taken more. */
static float bounded(const struct move *move, const struct merge *merge, double error_ns)
{
	double most = (double)merge->cells[move->holder].raw_self_ns;

	return (float)(move->holder && error_ns > most ? most : error_ns);
}

static void make_errors(const struct move *move, struct merge *merge,
			const struct rate *rate)
{
	struct time_error error = {
		.hooks = (float)(move->calls * rate->hooks_ns),
		.split = (float)(move->calls * rate->split_ns),
		.estimate = bounded(move, merge, move->calls * rate->error_ns)};

	time_error_add(&merge->cells[move->path].self_error, &error);
	if (!move->holder)
		return;
	error = (struct time_error){.hooks = -error.hooks,
				    .split = -error.split,
				    .estimate = -error.estimate};
	time_error_add(&merge->cells[move->holder].self_error, &error);
}

/* So many of the calls' time goes from the holder to their path. */
static void make(const struct move *move, struct merge *merge, const struct rate *rate,
		 int64_t *room)
{
	int64_t given = part_ns(move->calls * rate->ns, *room);

	*room -= given;
	quantity_add(&merge->cells[move->path].self_ns, given);
	if (move->holder)
		merge->cells[move->holder].self_ns -= given;
	make_errors(move, merge, rate);
}

/* What of a holder's time counting copies took. Together with what they took it may be
 * more than there is: then both were less, in proportion. (That counting takes all of it
 * was tried: of loops full of copies, where it takes two thirds of the calibration's,
 * nothing was left, and they are what a program is hot for.) */
static double counting_of(double counting, double time, double room)
{
	double wanted = counting + time;

	return wanted > room ? counting * (room / wanted) : counting;
}

/* What counting took goes from the holder to nobody. Returns the part that is done. */
static double take_counting(const struct move *moves, size_t count, struct merge *merge,
			    const struct rate *rates, const struct hook_cost *cost,
			    int64_t *room)
{
	struct time_error error = {.hooks = 0};
	double calls = 0, time = 0, wanted, done;
	int64_t taken;

	if (!moves->holder)
		return 1;
	for (size_t i = 0; i < count; i++) {
		calls += moves[i].counting;
		time += moves[i].calls * rates[moves[i].mode].ns;
	}
	wanted = calls * cost->counted_ns;
	taken = part_ns(moves->is_copy ? counting_of(wanted, time, (double)*room)
				       : wanted,
			*room);
	*room -= taken;
	merge->cells[moves->holder].self_ns -= taken;
	done = taken < (int64_t)wanted ? (double)taken / wanted : 1;
	error.counted = (float)(calls * done * cost->counted_error_ns);
	time_error_add(&merge->cells[moves->holder].self_error, &error);
	return done;
}

/* The part of what a holder is asked for that there is. */
static double share_of(const struct move *moves, size_t count, const struct rate *rates,
		       int64_t room)
{
	double wanted = 0;

	for (size_t i = 0; i < count; i++)
		wanted += moves[i].calls * rates[moves[i].mode].ns;
	return wanted > (double)room ? (double)room / wanted : 1;
}

/* The next path above that has time of its own; 0: none. */
static uint32_t next_holder(const struct merge *merge, uint32_t holder)
{
	uint32_t at = holder ? merge->paths[holder].parent : 0;

	while (at && account_cpu_ns(&merge->cells[at]) <= 0)
		at = merge->paths[at].parent;
	return at;
}

static void add_left(struct elsewhere *left, const struct move *move)
{
	elsewhere_add(left, &(struct elsewhere_calls){move->path, move->mode, move->calls,
						      move->counting});
}

/* Keeps of a holder's moves what it had no time for: the next above is asked. For copies,
 * whose holder is known, only for what counting took: they took less themselves, but all
 * counting together is known better than that of one loop. (That nobody was asked was
 * tried: gawk's main() came out 8 % longer.) */
static size_t keep_rest(const struct move *from, double share, double done,
			const struct merge *merge, struct move *to,
			struct elsewhere *left)
{
	struct move rest = *from;

	rest.calls *= 1 - share;
	rest.counting *= 1 - done;
	rest.holder = next_holder(merge, from->holder);
	if (from->is_copy)
		rest.calls = 0;
	if (rest.calls <= 0 && rest.counting <= 0)
		return 0;
	if (!rest.holder) {
		if (!from->is_copy) /* they are nowhere else */
			add_left(left, &rest);
		return 0;
	}
	*to = rest;
	return 1;
}

/* What one holder has not, the next above is asked for: a function whose outermost call
 * has a frame, and holds the time, may be counted in most of its others. What counting
 * took comes first: it is known best; but for copies. Keeps what is left to do, and
 * returns how much. */
static size_t make_all(struct move *moves, size_t count, struct merge *merge,
		       const struct rate *rates, const struct hook_cost *cost,
		       int64_t wall_ns, struct elsewhere *left)
{
	size_t end, kept = 0;

	qsort(moves, count, sizeof(*moves), by_holder);
	for (size_t i = 0; i < count; i = end) {
		uint32_t holder = moves[i].holder;
		int64_t room = holder ? account_cpu_ns(&merge->cells[holder])
				      : room_outside(merge, wall_ns);
		double share, done;

		for (end = i + 1; end < count && moves[end].holder == holder &&
				  moves[end].is_copy == moves[i].is_copy;)
			end++;
		done = take_counting(&moves[i], end - i, merge, rates, cost, &room);
		share = share_of(&moves[i], end - i, rates, room);
		for (; i < end; i++) {
			struct move move = moves[i];

			kept += keep_rest(&move, share, done, merge, &moves[kept], left);
			move.calls *= share;
			make(&move, merge, &rates[move.mode], &room);
		}
	}
	return kept;
}

static void list_holders(struct move *moves, size_t count, struct elsewhere *ret)
{
	*ret = (struct elsewhere){.holders = xcalloc(count, sizeof(*ret->holders))};
	qsort(moves, count, sizeof(*moves), by_holder);
	for (size_t i = 0; i < count; i++) {
		uint32_t holder = moves[i].holder;

		if (holder &&
		    (!ret->holder_count || ret->holders[ret->holder_count - 1] != holder))
			ret->holders[ret->holder_count++] = holder;
	}
}

/* That calls were counted is known, and what that took, but not where: what those who
 * should have the time have not is taken from all who have time of calls without frames,
 * from each in proportion. Without that the sum would be too long: in tcc by a quarter of
 * what the plain program takes. */
static void take_left(const struct elsewhere *left, struct merge *merge,
		      const struct hook_cost *cost)
{
	double wanted = 0, all = 0, share;

	for (size_t i = 0; i < left->count; i++)
		wanted += left->all[i].counting * cost->counted_ns;

	for (size_t i = 0; i < left->holder_count; i++)
		all += fmax(0, (double)account_cpu_ns(&merge->cells[left->holders[i]]));
	if (!(wanted >= 1 && all >= 1))
		return;
	share = wanted < all ? wanted / all : 1;
	for (size_t i = 0; i < left->holder_count; i++) {
		struct merge_cell *cell = &merge->cells[left->holders[i]];
		int64_t room = account_cpu_ns(cell);
		double taken = share * fmax(0, (double)room);
		struct time_error error = {.counted = (float)(taken / cost->counted_ns *
							      cost->counted_error_ns),
					   .variance = (float)(taken * taken)};

		cell->self_ns -= part_ns(taken, room);
		time_error_add(&cell->self_error, &error);
	}
}

/* The function was timed in another thread only, and nothing of that path is in this one:
 * the calls are not there. */
static int is_foreign(const struct merge *merge, uint32_t path)
{
	uint32_t root = path;

	while (merge->paths[root].parent)
		root = merge->paths[root].parent;
	return root != path && !merge->cells[root].calls;
}

/* Keeps the moves of calls that may be on their paths. */
static size_t leave_foreign(struct move *moves, size_t count, const struct merge *merge,
			    struct elsewhere *left)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!moves[i].holder && is_foreign(merge, moves[i].path))
			add_left(left, &moves[i]);
		else
			moves[kept++] = moves[i];
	}
	return kept;
}

void moves_make(struct move *moves, size_t count, struct merge *merge,
		const struct rate *rates, const struct hook_cost *cost, int64_t wall_ns,
		struct reach *reach)
{
	struct elsewhere left;

	list_holders(moves, count, &left);
	count = leave_foreign(moves, count, merge, &left);
	for (int i = 0; i < CLIMB_MOST && count; i++)
		count = make_all(moves, count, merge, rates, cost, wall_ns, &left);
	for (size_t i = 0; i < count; i++)
		add_left(&left, &moves[i]);
	elsewhere_place(&left, merge, rates, cost, reach);
	take_left(&left, merge, cost);
	elsewhere_done(&left);
}

void moves_done(struct moves *moves)
{
	free(moves->all);
	*moves = (struct moves){NULL, 0};
}
