/* SPDX-License-Identifier: MIT */
/*
 * Below whom calls are that are not where they were seen. Must not take more time than
 * the holders have.
 */
#include "collector/account/elsewhere.h"

#include <math.h>
#include <stdlib.h>

#include "collector/account/account.h"
#include "common/base/array.h"

/* Those with most time have nearly all of it. Of so many it is looked whether they can
 * have made the calls of a function; so many get some of them. */
#define HOLDERS_KEPT 64u
#define HOLDERS_MOST 8u
/* Levels between a holder and what is put below it. */
#define LEVELS_MOST 16u
/* What counting may be at most of what there is. */
#define COUNTED_PART 0.8

/* One of those who have time. */
struct holder {
	uint32_t path;
	int64_t room;
};

void elsewhere_add(struct elsewhere *elsewhere, const struct elsewhere_calls *calls)
{
	elsewhere->all =
		array_room(elsewhere->all, elsewhere->count, sizeof(*elsewhere->all));
	elsewhere->all[elsewhere->count++] = *calls;
}

/* Keeps the list of those that have most in order. */
static void add_holder(struct holder *top, size_t *count, struct holder holder)
{
	size_t at = *count;

	if (*count == HOLDERS_KEPT && top[at - 1].room >= holder.room)
		return;
	if (*count < HOLDERS_KEPT)
		(*count)++;
	else
		at--;
	for (; at && top[at - 1].room < holder.room; at--)
		top[at] = top[at - 1];
	top[at] = holder;
}

static size_t find_holders(const struct elsewhere *elsewhere, const struct merge *merge,
			   struct holder *top)
{
	size_t count = 0;

	for (size_t i = 0; i < elsewhere->holder_count; i++) {
		uint32_t path = elsewhere->holders[i];
		int64_t room = account_cpu_ns(&merge->cells[path]);

		if (room > 0)
			add_holder(top, &count, (struct holder){path, room});
	}
	return count;
}

static double room_of(const struct holder *holders, size_t count)
{
	double room = 0;

	for (size_t i = 0; i < count; i++)
		room += (double)holders[i].room;
	return room;
}

/* The shares of what is asked for that there are. */
struct shares {
	double calls, counting;
};

/* What counting took is known best, and comes first. But no call takes nothing: where
 * counting would be all that there is, it took less. */
static struct shares find_shares(const struct elsewhere *elsewhere,
				 const struct rate *rates, const struct hook_cost *cost,
				 double room)
{
	struct shares shares = {1, 1};
	double time = 0, counting = 0;

	for (size_t i = 0; i < elsewhere->count; i++) {
		const struct elsewhere_calls *calls = &elsewhere->all[i];

		time += calls->calls * rates[calls->mode].ns;
		counting += calls->counting * cost->counted_ns;
	}
	if (counting > COUNTED_PART * room)
		shares.counting = COUNTED_PART * room / counting;
	room -= shares.counting * counting;
	if (time > room)
		shares.calls = room / time;
	return shares;
}

/* Whose code the holder's time is in: regions have none. */
static uint32_t function_of(const struct merge *merge, uint32_t holder)
{
	while (holder && merge->paths[holder].kind != MERGE_FUNCTION)
		holder = merge->paths[holder].parent;
	return merge->paths[holder].function;
}

/* Those that can have made calls of the function. */
static size_t choose(struct reach *reach, const struct merge *merge,
		     const struct holder *all, size_t count, uint32_t function,
		     struct holder *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < count && kept < HOLDERS_MOST; i++)
		if (reach_may(reach, function_of(merge, all[i].path), function))
			ret[kept++] = all[i];
	return kept;
}

/* 0: there is no room for it. */
static uint32_t child_below(struct merge *merge, uint32_t path, uint32_t function)
{
	if (!merge_has_room(merge, path, function, MERGE_FUNCTION))
		return 0;
	return merge_child_path(merge, path, function, MERGE_FUNCTION);
}

/* A level of which no call may ever have been timed there. */
static uint32_t level_below(struct merge *merge, uint32_t path, uint32_t function)
{
	size_t before = merge->path_count;

	path = child_below(merge, path, function);
	if (path >= before)
		merge->paths[path].recording = SEGMENT_RECORDING_COUNTED;
	return path;
}

/* The path of the function's calls below the holder, with the levels that must be
 * between, or the holder when it is its own; 0: there is no room for it. */
static uint32_t path_below(struct merge *merge, struct reach *reach, uint32_t holder,
			   uint32_t function)
{
	const struct merge_path *row = &merge->paths[holder];
	uint32_t levels[LEVELS_MOST], path = holder;
	size_t count;

	if (row->kind == MERGE_FUNCTION && row->function == function)
		return holder;
	count = reach_between(reach, function_of(merge, holder), function, levels,
			      LEVELS_MOST);
	for (size_t i = 0; i < count && path; i++)
		path = level_below(merge, path, levels[i]);
	return path ? child_below(merge, path, function) : 0;
}

static int are_copies(const struct merge_cell *cell)
{
	return cell->inlined_calls * 2 > cell->calls - cell->counted_calls;
}

static void move_calls(struct merge *merge, uint32_t from, uint32_t to, double calls)
{
	int64_t whole = (int64_t)calls, most = merge->cells[from].counted_calls;
	struct merge_cell *cell;

	if (whole > most)
		whole = most;
	if (are_copies(&merge->cells[from]))
		merge->paths[to].has_copies = 1;
	merge->cells[from].calls -= whole;
	merge->cells[from].counted_calls -= whole;
	cell = merge_touch(merge, to);
	quantity_add(&cell->calls, whole);
	quantity_add(&cell->counted_calls, whole);
	if (merge->paths[to].recording < merge->paths[from].recording)
		merge->paths[to].recording = merge->paths[from].recording;
}

/* Not more than there is. */
static int64_t take(struct merge_cell *cell, double ns)
{
	int64_t room = account_cpu_ns(cell);
	int64_t taken = ns < (double)room ? (int64_t)ns : room;

	if (!(ns > 0) || taken <= 0)
		return 0;
	cell->self_ns -= taken;
	return taken;
}

/* Puts calls below the holder. Where they are is not known, so all of their time may be
 * wrong. Returns whether there was a path for them. */
static int place_part(struct merge *merge, uint32_t holder,
		      const struct elsewhere_calls *part, double whole_calls,
		      const struct rate *rate, const struct hook_cost *cost,
		      struct reach *reach)
{
	uint32_t path =
		path_below(merge, reach, holder, merge->paths[part->path].function);
	int64_t given, taken;
	struct time_error error = {
		.estimate = (float)(part->calls * hypot(rate->ns, rate->error_ns))};

	if (!path)
		return 0;
	move_calls(merge, part->path, path, whole_calls);
	taken = take(&merge->cells[holder], part->counting * cost->counted_ns);
	given = take(&merge->cells[holder], part->calls * rate->ns);
	quantity_add(&merge->cells[path].self_ns, given);
	time_error_add(&merge->cells[path].self_error, &error);
	error.estimate = -error.estimate;
	if (taken > 0)
		error.counted = (float)((double)taken / cost->counted_ns *
					cost->counted_error_ns);
	time_error_add(&merge->cells[holder].self_error, &error);
	return 1;
}

/* Nobody has the time that these calls are said to have taken: how much of what the
 * holder had is theirs is not known. The sum of both is. holder 0: there is none. */
static void refuse(const struct elsewhere_calls *calls, struct merge *merge,
		   uint32_t holder, const struct rate *rate)
{
	double most = holder ? (double)merge->cells[holder].raw_self_ns : HUGE_VAL;
	struct time_error error = {.estimate =
					   (float)fmin(calls->calls * rate->ns, most)};

	if (error.estimate < 1)
		return;
	time_error_add(&merge->cells[calls->path].self_error, &error);
	error.estimate = -error.estimate;
	if (holder)
		time_error_add(&merge->cells[holder].self_error, &error);
	merge_add(&merge->refused_estimate_count, 1);
}

static void refuse_all(const struct elsewhere *elsewhere, struct merge *merge,
		       const struct rate *rates)
{
	uint32_t holder = elsewhere->holder_count ? elsewhere->holders[0] : 0;

	for (size_t i = 0; i < elsewhere->count; i++) {
		const struct elsewhere_calls *calls = &elsewhere->all[i];

		refuse(calls, merge, holder, &rates[calls->mode]);
	}
}

/* To each holder that can have them as much as it has of what all of these have. */
static void place(struct merge *merge, struct elsewhere_calls *calls,
		  const struct holder *all, size_t all_count, struct shares shares,
		  const struct rate *rate, const struct hook_cost *cost,
		  struct reach *reach)
{
	struct elsewhere_calls left = *calls;
	struct holder holders[HOLDERS_MOST];
	size_t count = choose(reach, merge, all, all_count,
			      merge->paths[calls->path].function, holders);
	double room = room_of(holders, count);

	for (size_t i = 0; i < count; i++) {
		double own = (double)holders[i].room / room;
		struct elsewhere_calls part = {calls->path, calls->mode,
					       calls->calls * own * shares.calls,
					       calls->counting * own * shares.counting};

		if (calls->calls * own < 1 ||
		    !place_part(merge, holders[i].path, &part, calls->calls * own, rate,
				cost, reach))
			continue;
		left.calls -= part.calls;
		left.counting -= part.counting;
	}
	*calls = left;
	refuse(calls, merge, all[0].path, rate);
}

void elsewhere_place(struct elsewhere *elsewhere, struct merge *merge,
		     const struct rate *rates, const struct hook_cost *cost,
		     struct reach *reach)
{
	struct holder holders[HOLDERS_KEPT];
	size_t count = find_holders(elsewhere, merge, holders);
	struct shares shares;

	if (!count) {
		refuse_all(elsewhere, merge, rates);
		return;
	}
	shares = find_shares(
		elsewhere, rates, cost,
		room_of(holders, count < HOLDERS_MOST ? count : HOLDERS_MOST));
	for (size_t i = 0; i < elsewhere->count; i++) {
		struct elsewhere_calls *calls = &elsewhere->all[i];

		place(merge, calls, holders, count, shares, &rates[calls->mode], cost,
		      reach);
	}
}

void elsewhere_done(struct elsewhere *elsewhere)
{
	free(elsewhere->all);
	free(elsewhere->holders);
	*elsewhere = (struct elsewhere){.count = 0};
}
