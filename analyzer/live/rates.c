/* SPDX-License-Identifier: MIT */
/* From ticks to corrected times, and from paths to functions. Must not recurse. */
#include "analyzer/live/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/live/rates_parts.h"
#include "collector/follow/room.h"

/* Deeper ones of a recursion are not looked for. */
#define ABOVE_MOST 4096u

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
	rates->sums = follow_room(rates->sums, &rates->sum_room, functions,
				  sizeof(*rates->sums));
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

static struct time_error find_error(const struct hook_cost *cost,
				    const struct path_gain *gain)
{
	double sum = cost->inner_ns + cost->outer_ns;
	double pairs = path_gain_pairs(gain, cost);

	return (struct time_error){
		.hooks = (float)(pairs * cost->hook_error_ns),
		.split = (float)((gain->own - gain->others) * sum * cost->split_error),
		.allocs = (float)(gain->allocs * cost->alloc_error_ns),
		.placed = (float)gain->estimate_ns,
		.variance = (float)(square(pairs * sum * cost->path_error) +
				    square(gain->allocs * cost->alloc_ns *
					   cost->path_error))};
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

static inline void add_to_sum(struct rate_sum *sum, const struct path_gain *gain,
			      const struct hook_cost *cost)
{
	double pairs = path_gain_pairs(gain, cost);

	sum->path_count++;
	sum->calls += gain->calls;
	sum->self_ns += gain->self_ns;
	sum->raw_ns += gain->raw_ns;
	sum->pairs += pairs;
	sum->squared_pairs += pairs * pairs;
	sum->own_less_others += gain->own - gain->others;
	if (gain->allocs > 0) {
		sum->allocs += gain->allocs;
		sum->alloc_bytes += gain->alloc_bytes;
		sum->squared_allocs += gain->allocs * gain->allocs;
	}
	sum->ready_ns += gain->ready_ns;
	sum->blocked_ns += gain->blocked_ns;
	if (gain->is_estimate) {
		sum->estimate_ns += gain->estimate_ns;
		sum->is_estimate = true;
	}
}

static double longest_ns(const struct follow *follow, uint64_t ticks)
{
	return fmax(0, (double)ticks * follow->ticks.ns_per_tick - follow->cost.inner_ns);
}

/* Of the paths at and below the one that is zoomed into; 0: of all. */
static double longest_of(const struct rates *rates, const struct follow *follow,
			 uint32_t function, uint32_t below)
{
	uint64_t ticks = 0;

	if (!below)
		return longest_ns(follow, follow->function_longest[function]);
	for (uint32_t path = rates->first_of[function]; path;
	     path = rates->next_same[path])
		if (rates->is_below[path] && follow->path_longest[path] > ticks)
			ticks = follow->path_longest[path];
	return longest_ns(follow, ticks);
}

/* Errors but those of chance add up. */
static struct time_error error_of_sum(const struct rate_sum *sum,
				      const struct hook_cost *cost)
{
	double pair_ns = cost->inner_ns + cost->outer_ns;

	return (struct time_error){
		.hooks = (float)(sum->pairs * cost->hook_error_ns),
		.split = (float)(sum->own_less_others * pair_ns * cost->split_error),
		.allocs = (float)(sum->allocs * cost->alloc_error_ns),
		.placed = (float)sum->estimate_ns,
		.variance =
			(float)(square(pair_ns * cost->path_error) * sum->squared_pairs +
				square(cost->alloc_ns * cost->path_error) *
					sum->squared_allocs)};
}

static void take_sums(struct rates *rates, const struct follow *follow, uint32_t below)
{
	for (uint32_t i = 0; i < rates->function_count; i++) {
		const struct rate_sum *sum = &rates->sums[i];

		rates->functions[i] =
			(struct rate){.calls = sum->calls,
				      .allocs = sum->allocs,
				      .alloc_bytes = sum->alloc_bytes,
				      .self_ns = sum->self_ns,
				      .total_ns = sum->total_ns,
				      .ready_ns = sum->ready_ns,
				      .blocked_ns = sum->blocked_ns,
				      .error = error_of_sum(sum, &follow->cost),
				      .most_ns = sum->raw_ns,
				      .longest_ns = longest_of(rates, follow, i, below),
				      .is_used = sum->path_count != 0,
				      .is_estimate = sum->is_estimate};
	}
}

/* Children come behind their parents. What a function gained is summed up as it is, and
 * made a rate in the end: with an error for each path the pass took a half longer. */
static inline __attribute__((always_inline)) void
add_up_columns(struct rates *rates, const struct follow *follow,
	       const struct path_columns *columns)
{
	struct path_time *times = rates->times;
	const bool has_moved = rates->moved_count != 0;

	for (uint32_t i = (uint32_t)rates->path_count; i-- > 1;) {
		const struct follow_path *row = &follow->path_rows[i];
		struct rate_sum *sum = &rates->sums[row->function];
		double total_ns = times[i].total_ns;
		struct path_gain gain;

		if (!rates->is_used[i])
			continue;
		gain = path_gain_read(follow, columns, i);
		if (has_moved && rates->moved_of[i])
			path_gain_move(&gain, &rates->moved[rates->moved_of[i] - 1]);
		total_ns += gain.self_ns;
		times[i].cpu_ns = path_gain_cpu_ns(&gain);
		times[i].total_ns = total_ns;
		times[row->parent].total_ns += total_ns;
		rates->is_used[row->parent] = 1;
		if (!rates->is_below[i])
			continue;
		add_to_sum(sum, &gain, &follow->cost);
		if (rates->is_outermost[i])
			sum->total_ns += total_ns;
	}
	rates->is_used[0] = 0;
}

static void add_up(struct rates *rates, const struct follow *follow,
		   const struct path_columns *columns, uint32_t below)
{
	memset(rates->sums, 0, rates->function_count * sizeof(*rates->sums));
	if (columns->is_look) {
		struct path_columns gained = *columns;

		gained.is_look = true; /* known to the compiler */
		add_up_columns(rates, follow, &gained);
	} else {
		add_up_columns(rates, follow, columns);
	}
	take_sums(rates, follow, below);
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

void rates_begin(struct rates *rates, const struct follow *follow,
		 enum ledger_since since, uint32_t below)
{
	rates->span_s = (double)ledger_span_ns(&follow->paths, since) / 1e9;
	rates->since = since;
	make_room(rates, follow);
	find_below(rates, follow, below);
}

void rates_find(struct rates *rates, const struct follow *follow, enum ledger_since since,
		uint32_t below)
{
	struct path_columns columns;

	rates_begin(rates, follow, since, below);
	path_columns_find(&columns, follow, since);
	begin_paths(rates, follow);
	rates_add_counted(rates, follow, &columns);
	add_up(rates, follow, &columns, below);
	if (!below)
		set_exact_calls(rates, follow, since);
}

struct rate rates_of_path(const struct rates *rates, const struct follow *follow,
			  uint32_t path)
{
	struct path_columns columns;
	struct path_gain gain;

	if (!rates->is_used[path])
		return (struct rate){.calls = 0};
	path_columns_find(&columns, follow, rates->since);
	gain = path_gain_read(follow, &columns, path);
	if (rates->moved_count && rates->moved_of[path])
		path_gain_move(&gain, &rates->moved[rates->moved_of[path] - 1]);
	return (struct rate){.calls = gain.calls,
			     .allocs = gain.allocs,
			     .alloc_bytes = gain.alloc_bytes,
			     .self_ns = gain.self_ns,
			     .total_ns = rates->times[path].total_ns,
			     .ready_ns = gain.ready_ns,
			     .blocked_ns = gain.blocked_ns,
			     .error = find_error(&follow->cost, &gain),
			     .most_ns = gain.raw_ns,
			     .longest_ns = longest_ns(follow, follow->path_longest[path]),
			     .is_used = true,
			     .is_estimate = gain.is_estimate};
}

void rates_done(struct rates *rates)
{
	free(rates->times);
	free(rates->functions);
	free(rates->sums);
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
