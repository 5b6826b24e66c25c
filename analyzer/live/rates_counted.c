/* SPDX-License-Identifier: MIT */
/*
 * Calls that were only counted: where they were, and how long. Must not give away time
 * that nobody spent.
 *
 * A function's counted calls are divided among the paths on which its timed calls were,
 * and are as long as these on the average. Their time was spent in the frame of a caller,
 * and is taken from there. When all that is taken from one frame is more than there is
 * (calls are shorter when nobody looks, or shorter now than they were), all of it is cut
 * alike, and what was cut goes into the errors: without that, functions of one thread
 * were said to compute for 1.08 s in a second.
 */
#include <math.h>

#include "analyzer/live/rates_parts.h"
#include "collector/follow/room.h"
#include "common/segment_recording.h"

/* Timed calls differ by about as much as they are long. */
#define CALL_VARIATION 1.0
#define NO_MOVED UINT32_MAX

static bool is_counted(const struct follow *follow, uint32_t function)
{
	return function < follow->recording_count &&
	       follow->recordings[function] == SEGMENT_RECORDING_COUNTED;
}

/* The path in whose frame a path's calls without frames were spent; 0: none. */
static uint32_t framed_above(const struct follow *follow, uint32_t path)
{
	do
		path = follow->path_rows[path].parent;
	while (path && is_counted(follow, follow->path_rows[path].function));
	return path;
}

/* What is known of a function's timed calls, from the beginning on. */
struct timed {
	double calls, self_ns;
};

static struct timed timed_calls(const struct rates *rates, const struct follow *follow,
				const struct path_columns *all, uint32_t function)
{
	const struct hook_cost *cost = &follow->cost;
	struct timed timed = {0, 0};

	for (uint32_t path = rates->first_of[function]; path;
	     path = rates->next_same[path]) {
		struct path_gain gain = path_gain_read(follow, all, path);

		timed.calls += gain.calls;
		timed.self_ns += fmax(0, gain.raw_ns - gain.own * cost->inner_ns -
						 gain.others * cost->outer_ns);
	}
	return timed;
}

/* The number in `moved` of a path. */
static uint32_t moved_path(struct rates *rates, uint32_t path)
{
	if (!rates->moved_of[path]) {
		rates->moved = follow_room(rates->moved, &rates->moved_room,
					   (uint32_t)rates->moved_count + 1,
					   sizeof(*rates->moved));
		rates->moved[rates->moved_count++] =
			(struct rate_moved){.path = path, .from = NO_MOVED};
		rates->moved_of[path] = (uint32_t)rates->moved_count;
		rates->is_used[path] = 1;
	}
	return rates->moved_of[path] - 1;
}

/* Divides counted calls among the paths on which the function was seen. */
static void divide(struct rates *rates, const struct follow *follow,
		   const struct path_columns *all, uint32_t function, double calls)
{
	struct timed timed = timed_calls(rates, follow, all, function);
	double mean_ns, error_ns;

	if (!(timed.calls > 0))
		return;
	mean_ns = timed.self_ns / timed.calls;
	error_ns = mean_ns * CALL_VARIATION / sqrt(timed.calls);
	for (uint32_t path = rates->first_of[function]; path;
	     path = rates->next_same[path]) {
		double share = path_column(all, FOLLOW_CALLS, path) / timed.calls * calls;
		uint32_t above, to, from = NO_MOVED;
		struct rate_moved *moved;

		if (!(share > 0))
			continue;
		above = framed_above(follow, path);
		if (above)
			from = moved_path(rates, above);
		to = moved_path(rates, path);
		moved = &rates->moved[to];
		moved->from = from;
		moved->calls = share;
		moved->ns = share * mean_ns;
		moved->error_ns = share * error_ns;
	}
}

static double framed_cpu_ns(const struct follow *follow,
			    const struct path_columns *columns)
{
	double sum_ns = 0;

	for (uint32_t i = 1; i < follow->paths.count; i++) {
		struct path_gain gain = path_gain_read(follow, columns, i);

		sum_ns += path_gain_cpu_ns(&gain);
	}
	return sum_ns;
}

/* Nobody has told what it computed in the span, or in the last part of it. */
static bool is_untold(const struct rates *rates, const struct follow *follow,
		      const struct follow_thread *thread)
{
	const struct ledger *ledger = &follow->threads;
	uint64_t span_began_ns =
		rates->since == LEDGER_ZERO ? ledger->zero_ns : ledger->last_look_ns;

	return thread->is_alive ? !thread->has_clocks : thread->seen_ns >= span_began_ns;
}

/* What the threads computed, and no frame has; INFINITY: not known. */
static double nobodys_ns(const struct rates *rates, const struct follow *follow,
			 const struct path_columns *columns)
{
	double cpu_ns = 0;

	if (!follow->threads.count)
		return INFINITY;
	for (size_t i = 0; i < follow->threads.count; i++) {
		if (is_untold(rates, follow, &follow->thread_rows[i]))
			return INFINITY;
		cpu_ns += (double)ledger_get(&follow->threads, i, FOLLOW_THREAD_CPU_NS,
					     rates->since);
	}
	return fmax(0, cpu_ns - framed_cpu_ns(follow, columns));
}

/* wanted_ns, there_ns: of the frame that it is taken from; NULL: of nobody's. */
static void take(struct rate_moved *to, struct rate_moved *from, double wanted_ns,
		 double there_ns)
{
	double ns = wanted_ns > there_ns ? to->ns * (there_ns / wanted_ns) : to->ns;

	/* so that what was not cut is in the interval of 1.96 standard deviations */
	to->error_ns += (to->ns - ns) / 2;
	to->most_ns = fmin(ns + 2 * to->error_ns, fmax(there_ns, ns));
	to->ns = ns;
	if (!from)
		return;
	from->taken_ns += ns;
	from->taken_error_ns += to->error_ns;
}

/* What is taken from a frame is known when it is known who wants how much of it. */
static void move_time(struct rates *rates, const struct follow *follow,
		      const struct path_columns *columns)
{
	double wanted_ns = 0, there_ns = 0; /* nobody's */

	for (size_t i = 0; i < rates->moved_count; i++) {
		const struct rate_moved *to = &rates->moved[i];

		if (to->from == NO_MOVED) {
			wanted_ns += to->ns;
			continue;
		}
		rates->moved[to->from].wanted_ns += to->ns;
		rates->moved[to->from].taken_ns += to->calls * follow->cost.counted_ns;
	}
	for (size_t i = 0; i < rates->moved_count; i++) {
		struct rate_moved *from = &rates->moved[i];
		struct path_gain gain;

		if (!(from->wanted_ns > 0))
			continue;
		gain = path_gain_read(follow, columns, from->path);
		from->there_ns = fmax(0, path_gain_cpu_ns(&gain) - from->taken_ns);
	}
	if (wanted_ns > 0)
		there_ns = nobodys_ns(rates, follow, columns);
	for (size_t i = 0; i < rates->moved_count; i++) {
		struct rate_moved *to = &rates->moved[i], *from;

		if (!(to->ns > 0))
			continue;
		from = to->from == NO_MOVED ? NULL : &rates->moved[to->from];
		take(to, from, from ? from->wanted_ns : wanted_ns,
		     from ? from->there_ns : there_ns);
	}
}

void rates_add_counted(struct rates *rates, const struct follow *follow,
		       const struct path_columns *columns)
{
	struct path_columns all;

	path_columns_find(&all, follow, LEDGER_ALL);
	for (uint32_t i = 0; i < follow->functions.count; i++) {
		double calls = (double)ledger_get(&follow->functions, i,
						  FOLLOW_COUNTED_CALLS, rates->since);

		if (calls > 0)
			divide(rates, follow, &all, i, calls);
	}
	if (rates->moved_count)
		move_time(rates, follow, columns);
}
