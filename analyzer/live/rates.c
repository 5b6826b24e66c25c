/* SPDX-License-Identifier: MIT */
/* From ticks to corrected times, and from paths to functions. Must not recurse. */
#include "analyzer/live/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/follow/room.h"

/* Deeper ones of a recursion are not looked for. */
#define ABOVE_MOST 4096u
/* Timed calls differ by about as much as they are long. */
#define CALL_VARIATION 1.0

static const struct follow_path *path_at(const struct follow *follow, size_t path)
{
	return &follow->path_rows[path];
}

static bool is_outermost(const struct follow *follow, uint32_t path)
{
	uint32_t function = path_at(follow, path)->function, at = path;

	for (uint32_t i = 0; i < ABOVE_MOST && at; i++) {
		at = path_at(follow, at)->parent;
		if (at && path_at(follow, at)->function == function)
			return false;
	}
	return true;
}

static void make_room(struct rates *rates, const struct follow *follow)
{
	uint32_t paths = (uint32_t)follow->paths.count;
	uint32_t functions = (uint32_t)follow->merge.identify.function_count;

	rates->times = follow_room(rates->times, &rates->times_room, paths,
				   sizeof(*rates->times));
	rates->moved_of = follow_room(rates->moved_of, &rates->moved_of_room, paths,
				      sizeof(*rates->moved_of));
	rates->functions = follow_room(rates->functions, &rates->function_room, functions,
				       sizeof(*rates->functions));
	rates->next_same = follow_room(rates->next_same, &rates->same_room, paths,
				       sizeof(*rates->next_same));
	rates->is_outermost =
		follow_room(rates->is_outermost, &rates->outermost_room, paths, 1);
	rates->is_used = follow_room(rates->is_used, &rates->used_room, paths, 1);
	rates->is_below = follow_room(rates->is_below, &rates->below_room, paths, 1);
	rates->first_of = follow_room(rates->first_of, &rates->first_room, functions,
				      sizeof(*rates->first_of));
	for (uint32_t i = rates->known_paths ? (uint32_t)rates->known_paths : 1;
	     i < paths; i++) {
		uint32_t function = path_at(follow, i)->function;

		rates->next_same[i] = rates->first_of[function];
		rates->first_of[function] = i;
		rates->is_outermost[i] = is_outermost(follow, i);
	}
	rates->known_paths = paths;
	rates->path_count = paths;
	rates->function_count = functions;
}

static double square(double value)
{
	return value * value;
}

static void find_error(const struct hook_cost *cost, struct rate *rate, double own,
		       double others)
{
	double sum = cost->inner_ns + cost->outer_ns;
	double pairs = own * cost->split + others * (1 - cost->split);

	rate->error = (struct time_error){
		.hooks = (float)(pairs * cost->hook_error_ns),
		.split = (float)((own - others) * sum * cost->split_error),
		.allocs = (float)(rate->allocs * cost->alloc_error_ns),
		.variance = (float)(square(pairs * sum * cost->path_error) +
				    square(rate->allocs * cost->alloc_ns *
					   cost->path_error))};
}

static inline double least(double a, double b)
{
	return a < b ? a : b;
}

static inline double most(double a, double b)
{
	return a > b ? a : b;
}

/* What a path itself gained. */
static inline void read_path(struct rate *rate, const struct follow *follow,
			     uint32_t path, enum ledger_since since)
{
	const struct ledger *ledger = &follow->paths;
	const struct hook_cost *cost = &follow->cost;
	double own, others, nested, raw_ns, off_ns;

	own = (double)ledger_get(ledger, path, FOLLOW_CALLS, since);
	others = (double)ledger_get(ledger, path, FOLLOW_CHILD_CALLS, since);
	nested = (double)ledger_get(ledger, path, FOLLOW_NESTED_CALLS, since);
	rate->calls = own;
	own += nested;
	others += nested;
	rate->allocs = (double)ledger_get(ledger, path, FOLLOW_ALLOCS, since);
	rate->alloc_bytes = (double)ledger_get(ledger, path, FOLLOW_ALLOC_BYTES, since);
	rate->ready_ns = (double)ledger_get(ledger, path, FOLLOW_READY_NS, since);
	rate->blocked_ns = (double)ledger_get(ledger, path, FOLLOW_BLOCKED_NS, since);
	raw_ns = (double)ledger_get(ledger, path, FOLLOW_SELF_TICKS, since) *
		 follow->ticks.ns_per_tick;
	raw_ns = raw_ns > 0 ? raw_ns : 0;
	rate->blocked_ns = least(rate->blocked_ns, raw_ns);
	rate->ready_ns = least(rate->ready_ns, raw_ns - rate->blocked_ns);
	off_ns = rate->ready_ns + rate->blocked_ns;
	rate->most_ns = raw_ns;
	rate->self_ns = off_ns + raw_ns - off_ns - own * cost->inner_ns -
			others * cost->outer_ns - rate->allocs * cost->alloc_ns;
	rate->self_ns = most(rate->self_ns, off_ns);
	rate->total_ns = 0;
	rate->is_used = true;
	rate->is_estimate = false;
	find_error(cost, rate, own, others);
}

static bool is_counted(const struct follow *follow, uint32_t function)
{
	return function < follow->recording_count &&
	       follow->recordings[function] != SEGMENT_RECORDING_EXACT;
}

/* The path in whose frame a path's calls without frames were spent; 0: none. */
static uint32_t framed_above(const struct follow *follow, uint32_t path)
{
	do
		path = path_at(follow, path)->parent;
	while (path && is_counted(follow, path_at(follow, path)->function));
	return path;
}

/* What is known of a function's timed calls, from the beginning on. */
struct timed {
	double calls, self_ns;
};

static struct timed timed_calls(const struct rates *rates, const struct follow *follow,
				uint32_t function)
{
	struct timed timed = {0, 0};

	for (uint32_t path = rates->first_of[function]; path;
	     path = rates->next_same[path]) {
		double calls = (double)ledger_get(&follow->paths, path, FOLLOW_CALLS,
						  LEDGER_ALL);
		double others = (double)ledger_get(&follow->paths, path,
						   FOLLOW_CHILD_CALLS, LEDGER_ALL);
		double nested = (double)ledger_get(&follow->paths, path,
						   FOLLOW_NESTED_CALLS, LEDGER_ALL);
		double ns = (double)ledger_get(&follow->paths, path, FOLLOW_SELF_TICKS,
					       LEDGER_ALL) *
			    follow->ticks.ns_per_tick;

		timed.calls += calls;
		timed.self_ns +=
			fmax(0, ns - (calls + nested) * follow->cost.inner_ns -
					(others + nested) * follow->cost.outer_ns);
	}
	return timed;
}

/* The number in `moved` of what a path gained. */
static uint32_t moved_path(struct rates *rates, const struct follow *follow,
			   uint32_t path)
{
	if (!rates->moved_of[path]) {
		rates->moved = follow_room(rates->moved, &rates->moved_room,
					   (uint32_t)rates->moved_count + 1,
					   sizeof(*rates->moved));
		read_path(&rates->moved[rates->moved_count++], follow, path,
			  rates->since);
		rates->moved_of[path] = (uint32_t)rates->moved_count;
		rates->is_used[path] = 1;
	}
	return rates->moved_of[path] - 1;
}

static void move_time(struct rate *from, struct rate *to, double ns, double error_ns)
{
	to->self_ns += ns;
	to->most_ns += ns + 2 * error_ns;
	to->error.estimate += (float)error_ns;
	to->is_estimate = true;
	if (!from)
		return;
	from->self_ns -= ns;
	from->error.estimate -= (float)error_ns;
	from->is_estimate = true;
}

/* Divides counted calls among the paths on which the function was seen. */
static void add_counted(struct rates *rates, const struct follow *follow,
			uint32_t function, double calls)
{
	struct timed timed = timed_calls(rates, follow, function);
	double mean_ns, error_ns;

	if (!(timed.calls > 0))
		return;
	mean_ns = timed.self_ns / timed.calls;
	error_ns = mean_ns * CALL_VARIATION / sqrt(timed.calls);
	for (uint32_t path = rates->first_of[function]; path;
	     path = rates->next_same[path]) {
		double share = (double)ledger_get(&follow->paths, path, FOLLOW_CALLS,
						  LEDGER_ALL) /
			       timed.calls * calls;
		uint32_t above = framed_above(follow, path), to, from = 0;

		if (!(share > 0))
			continue;
		to = moved_path(rates, follow, path);
		if (above)
			from = moved_path(rates, follow, above);
		rates->moved[to].calls += share;
		move_time(above ? &rates->moved[from] : NULL, &rates->moved[to],
			  share * mean_ns, share * error_ns);
		if (above)
			rates->moved[from].self_ns -= share * follow->cost.counted_ns;
	}
}

static void find_counted(struct rates *rates, const struct follow *follow,
			 enum ledger_since since)
{
	for (uint32_t i = 0; i < follow->functions.count; i++) {
		double calls = (double)ledger_get(&follow->functions, i,
						  FOLLOW_COUNTED_CALLS, since);

		if (calls > 0)
			add_counted(rates, follow, i, calls);
	}
}

static void find_below(struct rates *rates, const struct follow *follow, uint32_t below)
{
	if (!below) {
		memset(rates->is_below + 1, 1, rates->path_count - 1);
		return;
	}
	for (uint32_t i = 1; i < rates->path_count; i++)
		rates->is_below[i] =
			i == below || rates->is_below[path_at(follow, i)->parent];
}

static inline void add_to_function(struct rates *rates, uint32_t function,
				   const struct rate *from)
{
	struct rate *to = &rates->functions[function];

	to->is_used = true;
	to->is_estimate |= from->is_estimate;
	to->calls += from->calls;
	to->allocs += from->allocs;
	to->alloc_bytes += from->alloc_bytes;
	to->self_ns += from->self_ns;
	to->most_ns += from->most_ns;
	to->ready_ns += from->ready_ns;
	to->blocked_ns += from->blocked_ns;
	time_error_add(&to->error, &from->error);
}

/* Children come behind their parents. */
static void add_up(struct rates *rates, const struct follow *follow)
{
	memset(rates->functions, 0, rates->function_count * sizeof(*rates->functions));
	for (uint32_t i = (uint32_t)rates->path_count; i-- > 1;) {
		const struct follow_path *row = path_at(follow, i);
		struct path_time *time = &rates->times[i];
		struct rate read, *rate = &read;

		if (!rates->is_used[i])
			continue;
		if (rates->moved_of[i])
			rate = &rates->moved[rates->moved_of[i] - 1];
		else
			read_path(rate, follow, i, rates->since);
		rate->self_ns = most(rate->self_ns, rate->ready_ns + rate->blocked_ns);
		time->self_ns = rate->self_ns;
		time->total_ns += rate->self_ns;
		if (row->parent) {
			rates->is_used[row->parent] = 1;
			rates->times[row->parent].total_ns += time->total_ns;
		}
		if (!rates->is_below[i])
			continue;
		add_to_function(rates, row->function, rate);
		if (rates->is_outermost[i])
			rates->functions[row->function].total_ns += time->total_ns;
	}
}

/* Of functions the counted calls are exact. Only a part of them is below a path. */
static void set_exact_calls(struct rates *rates, const struct follow *follow,
			    enum ledger_since since)
{
	for (uint32_t i = 0; i < follow->functions.count; i++) {
		double counted = (double)ledger_get(&follow->functions, i,
						    FOLLOW_COUNTED_CALLS, since);
		struct rate *rate = &rates->functions[i];

		if (!(counted > 0))
			continue;
		if (!rate->is_used)
			rate->most_ns = INFINITY; /* never timed */
		rate->calls = counted;
		rate->is_used = rate->is_estimate = true;
		for (uint32_t path = rates->first_of[i]; path;
		     path = rates->next_same[path])
			rate->calls += (double)ledger_get(&follow->paths, path,
							  FOLLOW_CALLS, since);
	}
}

/* Nothing is known of any path, but which ones gained something. */
static void begin_paths(struct rates *rates, const struct follow *follow)
{
	memset(rates->times, 0, rates->path_count * sizeof(*rates->times));
	if (rates->moved_count)
		memset(rates->moved_of, 0, rates->path_count * sizeof(*rates->moved_of));
	rates->moved_count = 0;
	if (rates->since == LEDGER_LOOK)
		memcpy(rates->is_used, follow->paths.is_touched, rates->path_count);
	else
		memset(rates->is_used, 1, rates->path_count);
	rates->is_used[0] = 0;
}

void rates_find(struct rates *rates, const struct follow *follow, enum ledger_since since,
		uint32_t below)
{
	rates->span_s = (double)ledger_span_ns(&follow->paths, since) / 1e9;
	rates->since = since;
	make_room(rates, follow);
	begin_paths(rates, follow);
	find_below(rates, follow, below);
	find_counted(rates, follow, since);
	add_up(rates, follow);
	if (!below)
		set_exact_calls(rates, follow, since);
}

struct rate rates_of_path(const struct rates *rates, const struct follow *follow,
			  uint32_t path)
{
	struct rate rate = {0};

	if (!rates->is_used[path])
		return rate;
	if (rates->moved_of[path])
		rate = rates->moved[rates->moved_of[path] - 1];
	else
		read_path(&rate, follow, path, rates->since);
	rate.total_ns = rates->times[path].total_ns;
	return rate;
}

void rates_done(struct rates *rates)
{
	free(rates->times);
	free(rates->functions);
	free(rates->moved);
	free(rates->moved_of);
	free(rates->next_same);
	free(rates->is_outermost);
	free(rates->is_below);
	free(rates->is_used);
	free(rates->first_of);
	*rates = (struct rates){.span_s = 0};
}

double rate_error_ns(const struct rate *rate)
{
	double limit = (double)TICKS_LONGEST_NS;

	if (!(rate->most_ns < limit))
		return limit;
	return (double)time_error_half_width(&rate->error, (int64_t)rate->self_ns,
					     (int64_t)rate->most_ns);
}

double rate_cpu_ns(const struct rate *rate)
{
	return fmax(0, rate->self_ns - rate->ready_ns - rate->blocked_ns);
}
