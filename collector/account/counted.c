/* SPDX-License-Identifier: MIT */
/*
 * The lanes of processes that counted calls, kept until the paths and times of all are
 * known. Must not look at a lane's cells but one lane at a time.
 */
#include "collector/account/counted.h"

#include <stdlib.h>

#include "collector/account/account.h"
#include "collector/account/sampled/divide.h"
#include "collector/account/hosts.h"
#include "collector/account/kept.h"
#include "collector/account/modes.h"
#include "collector/account/moves.h"
#include "collector/account/nested.h"
#include "collector/account/rate.h"
#include "collector/account/callers/reach.h"
#include "collector/account/weights.h"
#include "common/base/xalloc.h"

/* Calls are divided among paths as long as there are not more parts than this; then all
 * of a function's go to its most frequent path. */
#define PARTS_MOST (1u << 22)

struct counted {
	struct merge *merge;
	const struct merge_end *ends;
	struct kept kept;
	struct moves moves;
	struct weights weights;
	struct rate_sums *sums; /* parallel to merge->modes, as the following */
	struct rate *rates;
	uint32_t *same; /* the first mode of the process with the same function */
	/* by function, in the process that is looked at: its mode, 0: none; of its calls
	 * with frames the share in windows */
	uint32_t *mode_of;
	float *window_shares;
	/* by path of the lane that is looked at, 0 between lanes: calls with frames at
	 * and below it; of these, in windows */
	double *below, *below_window;
	uint32_t *exact_above; /* by path of the lane in the cells: see moves.h */
	struct hosts *hosts;
	struct reach *reach;
	struct divide *divide;
};

struct counted *counted_new(struct merge *merge)
{
	struct counted *counted = xcalloc(1, sizeof(*counted));

	counted->merge = merge;
	if (merge->mode_count)
		counted->sums = xcalloc(merge->mode_count, sizeof(*counted->sums));
	return counted;
}

static void add_windows(struct counted *counted, uint32_t process,
			const struct lane_counts *counts)
{
	struct merge *merge = counted->merge;
	double ns_per_tick = merge->ticks->ns_per_tick;

	for (uint32_t number = 1; number < counts->window_count; number++) {
		const struct segment_window *window = &counts->windows[number];
		struct merge_mode *mode = modes_find(merge, process, number);
		struct rate_sums *sums;

		if (!mode || !window->call_count)
			continue;
		merge_add(&merge->modes[mode->own].window_calls, window->call_count);
		sums = &counted->sums[mode->own];
		sums->window_calls += (double)window->call_count;
		sums->window_ns += (double)window->total_ticks * ns_per_tick;
		sums->window_squares += window->squared_ticks * ns_per_tick * ns_per_tick;
		sums->windows += (double)counts->windows_of_lane;
	}
}

void counted_keep(struct counted *counted, uint32_t lane,
		  const struct lane_counts *counts)
{
	kept_add(&counted->kept, counted->merge, lane, counts);
	add_windows(counted, counted->merge->run->lanes[lane].process, counts);
}

static float window_share(const struct rate_sums *sums)
{
	double share = sums->calls >= 1 ? sums->window_calls / sums->calls : 0;

	return share > 0 ? (share < 1 ? (float)share : 1) : 0;
}

/* Says which functions have modes in a process; take_back: says so no longer. */
static void mark_functions(struct counted *counted, uint32_t process, int take_back)
{
	struct merge *merge = counted->merge;
	size_t end = merge->first_mode[process + 1];

	for (size_t i = merge->first_mode[process]; i < end; i++) {
		uint32_t function = merge->modes[i].function;

		if (function == MERGE_NO_FUNCTION)
			continue;
		if (take_back) {
			counted->mode_of[function] = 0;
			counted->window_shares[function] = 0;
			continue;
		}
		if (!counted->mode_of[function]) {
			counted->mode_of[function] = (uint32_t)i;
			counted->window_shares[function] =
				window_share(&counted->sums[i]);
		}
		counted->same[i] = counted->mode_of[function];
	}
}

static uint32_t mode_of_path(const struct counted *counted, uint32_t path)
{
	const struct merge_path *row = &counted->merge->paths[path];

	return row->kind == MERGE_FUNCTION ? counted->mode_of[row->function] : 0;
}

/* How many calls with frames the functions have, and on which paths. */
static void count_frames(struct counted *counted, struct kept_lane *lane)
{
	struct merge *merge = counted->merge;

	for (size_t i = lane->cells.first; i < lane->cells.end; i++) {
		const struct kept_cell *cell = &counted->kept.cells[i];
		uint32_t mode = mode_of_path(counted, cell->path);
		struct weight weight = {merge->paths[cell->path].function,
					lane->process,
					lane->lane,
					cell->path,
					0,
					0};

		hosts_note(counted->hosts, cell);
		if (!mode && !hosts_has(counted->hosts, cell->path))
			continue;
		if (mode && merge->modes[mode].least == SEGMENT_RECORDING_OFF)
			merge->paths[cell->path].recording = SEGMENT_RECORDING_OFF;
		weight.calls = cell->calls > 0 ? (uint64_t)cell->calls : 0;
		weight.passed_calls =
			cell->passed_calls > 0 ? (uint64_t)cell->passed_calls : 0;
		if (!weight.calls && !weight.passed_calls)
			continue;
		if (mode)
			counted->sums[mode].calls +=
				(double)cell->calls + (double)cell->nested_calls;
		weights_add(&counted->weights, &weight);
	}
}

/* What is in none of its own calls' times. */
static int64_t passed_ns(const struct merge *merge, const struct merge_cell *cell)
{
	return ticks_duration_ns(merge->ticks, (double)cell->passed_ticks);
}

/* One call that lasts as long as half of all calls of a path may have been open when the
 * function's calls began to be counted, and has the time of all that are counted below
 * it. */
static int has_giant(const struct merge *merge, uint32_t path)
{
	const struct merge_cell *cell = &merge->cells[path];

	return cell->calls > 1 &&
	       merge->paths[path].max_ns >
		       (cell->raw_total_ns - passed_ns(merge, cell)) / 2;
}

static void add_times(struct counted *counted, const struct account_cost *lane,
		      uint32_t path, uint32_t mode)
{
	const struct hook_cost *cost = lane->hooks;
	const struct merge_cell *cell = &counted->merge->cells[path];
	double calls = (double)cell->calls, nested = (double)cell->nested_calls;
	double children = (double)(cell->child_calls - cell->passed_calls);

	if (cell->calls <= 0 || has_giant(counted->merge, path))
		return;
	rate_add_sums(
		&counted->sums[mode],
		&(struct rate_sums){
			.timed_calls = calls,
			.raw_ns = (double)(cell->raw_total_ns -
					   passed_ns(counted->merge, cell)),
			/* waits are booked where they were, not estimated */
			.self_ns =
				(double)cell->raw_self_ns - (double)cell->self_ready_ns -
				(double)cell->self_blocked_ns -
				cost->inner_ns * (calls + nested) -
				cost->outer_ns * (children + nested) -
				cost->window_inner_ns * cell->window_calls -
				account_window_outer_ns(cost) * cell->child_window_calls -
				(cost->alloc_ns + lane->stack_ns) * (double)cell->allocs,
			.child_calls = children,
			.nested_calls = nested,
			.below_calls = counted->below[path] - calls});
}

/* How long the calls with frames took. */
static void time_frames(struct counted *counted, struct kept_lane *lane)
{
	struct merge *merge = counted->merge;
	struct account_cost cost = {&merge->process_cost[lane->process],
				    counted->window_shares, lane->stack_ns};

	kept_restore(&counted->kept, lane, merge);
	account_selves(merge, &cost);
	for (size_t i = merge->touched_count; i-- > 0;) {
		uint32_t path = merge->touched[i], parent = merge->paths[path].parent;
		uint32_t mode = mode_of_path(counted, path);

		counted->below[path] += (double)merge->cells[path].calls;
		if (mode)
			add_times(counted, &cost, path, mode);
		counted->below[parent] += counted->below[path];
		counted->below[path] = 0;
	}
	counted->below[0] = 0;
	account_clear(merge);
}

static void add_calls(struct counted *counted, const struct kept_calls *calls)
{
	struct merge *merge = counted->merge;
	enum segment_recording least = merge->modes[calls->mode].least;

	if (least == SEGMENT_RECORDING_EXACT || least == SEGMENT_RECORDING_OFF)
		least = SEGMENT_RECORDING_COUNTED; /* as it shows */
	if (least > merge->paths[calls->path].recording)
		merge->paths[calls->path].recording = least;
	kept_add_calls(&counted->kept, calls);
}

/* A function without any call that has a frame: what is called is not known to have a
 * caller. */
static void add_nowhere(struct counted *counted, uint32_t mode, uint64_t calls)
{
	struct merge *merge = counted->merge;
	uint32_t function = merge->modes[mode].function;

	if (!merge_has_room(merge, 0, function, MERGE_FUNCTION)) {
		merge_add(&merge->folded_call_count, calls);
		return;
	}
	add_calls(counted,
		  &(struct kept_calls){
			  .mode = mode,
			  .path = merge_child_path(merge, 0, function, MERGE_FUNCTION),
			  .calls = calls});
}

/* The path of a part of the calls; 0: there is no room for it. */
static uint32_t path_at(struct counted *counted, const struct hosts_places *places,
			size_t i, uint32_t function)
{
	struct merge *merge = counted->merge;
	uint32_t path = places->all[i].path;

	if (!places->is_above)
		return path;
	if (!merge_has_room(merge, path, function, MERGE_FUNCTION))
		return 0;
	path = merge_child_path(merge, path, function, MERGE_FUNCTION);
	merge->paths[path].has_copies = 1;
	return path;
}

/* All of them on the path with most calls, when there are too many parts. */
static void keep_one(uint64_t *weights, size_t count)
{
	size_t most = 0;

	for (size_t i = 1; i < count; i++)
		if (weights[i] > weights[most])
			most = i;
	for (size_t i = 0; i < count; i++)
		weights[i] = i == most;
}

static void place_part(struct counted *counted, const struct kept_calls *part)
{
	if (!part->calls)
		return;
	if (part->is_nested && part->path)
		kept_add_calls(&counted->kept, part);
	else if (part->path)
		add_calls(counted, part);
	else if (!part->is_nested)
		add_nowhere(counted, part->mode, part->calls);
}

static void divide(struct counted *counted, const struct kept_lane *lane,
		   const struct kept_calls *calls)
{
	const struct merge_mode mode = counted->merge->modes[calls->mode];
	struct kept_calls part = *calls;
	struct hosts_places places;
	uint64_t *weights, *parts;
	int are_timed;

	if (!calls->calls)
		return;
	hosts_choose(counted->hosts, &counted->weights, lane, &mode, &places);
	if (!places.count) {
		place_part(counted, &part);
		return;
	}
	weights = xcalloc(places.count, sizeof(*weights));
	parts = xcalloc(places.count, sizeof(*parts));
	are_timed = weights_are_timed(places.all, places.count);
	for (size_t i = 0; i < places.count; i++)
		if (hosts_has_place(counted->hosts, &places, places.all[i].path))
			weights[i] = weights_value(&places.all[i], are_timed);
	if (counted->kept.call_count + places.count > PARTS_MOST)
		keep_one(weights, places.count);
	weights_apportion(calls->calls, weights, places.count, parts);
	for (size_t i = 0; i < places.count; i++) {
		part.calls = parts[i];
		part.path = parts[i] ? path_at(counted, &places, i, mode.function) : 0;
		place_part(counted, &part);
	}
	free(weights);
	free(parts);
}

/* Calls, and entries that are none. */
static void divide_count(struct counted *counted, const struct kept_lane *lane,
			 struct kept_count count)
{
	divide(counted, lane,
	       &(struct kept_calls){.mode = count.mode, .calls = count.calls});
	divide(counted, lane,
	       &(struct kept_calls){
		       .mode = count.mode, .calls = count.nested_calls, .is_nested = 1});
}

/* Which path has which calls, and where their time was recorded. */
static void place_calls(struct counted *counted, struct kept_lane *lane)
{
	struct merge *merge = counted->merge;
	struct kept *kept = &counted->kept;

	lane->calls.first = lane->calls.end = kept->call_count;
	for (size_t i = lane->counts.first; i < lane->counts.end; i++)
		divide_count(counted, lane, kept->counts[i]);
	lane->calls.end = kept->call_count;
	kept_restore(kept, lane, merge);
	account_begin(merge);
	counted->exact_above = xreallocarray(counted->exact_above, merge->path_count,
					     sizeof(*counted->exact_above));
	moves_find_exact(merge, counted->exact_above);
	lane->moves.first = counted->moves.count;
	for (size_t i = lane->calls.first; i < lane->calls.end; i++) {
		const struct kept_calls *calls = &kept->calls[i];

		moves_find(&counted->moves, merge, counted->exact_above,
			   &(struct move){.path = calls->path,
					  .mode = counted->same[calls->mode],
					  .is_copy = merge->modes[calls->mode].host !=
						     MERGE_NO_FUNCTION,
					  .is_nested = calls->is_nested,
					  .calls = (double)calls->calls});
	}
	lane->moves.end = counted->moves.count;
	account_clear(merge);
}

/* The time of calls without frames is in that of the calls around them, where these have
 * frames in windows. */
static void find_hidden(struct counted *counted, struct kept_lane *lane)
{
	double cost = counted->merge->process_cost[lane->process].counted_ns;

	for (size_t i = lane->moves.first; i < lane->moves.end; i++) {
		const struct move *move = &counted->moves.all[i];
		uint32_t mode = mode_of_path(counted, move->holder);

		if (move->is_hidden && mode)
			counted->sums[mode].hidden_ns +=
				move->calls * (counted->rates[move->mode].ns + cost);
	}
}

/* By how much calls of a function look longer in windows than outside; 0: not known. The
 * mean of others of its calls is more than twice what their hooks take: they differ by
 * themselves. */
static int longer_in_windows(const struct rate_sums *sums, double inner_ns, double *ret)
{
	double others = sums->timed_calls - sums->window_calls;
	double mean = (sums->raw_ns - sums->window_ns) / others;

	if (sums->below_calls > 0 || sums->nested_calls > 0 ||
	    others < RATE_WINDOW_CALLS_LEAST ||
	    sums->window_calls < RATE_WINDOW_CALLS_LEAST || !(mean < 2 * inner_ns))
		return 0;
	*ret = sums->window_ns / sums->window_calls - mean;
	return 1;
}

static void measure_inner(struct counted *counted, uint32_t process)
{
	struct merge *merge = counted->merge;
	size_t first = merge->first_mode[process], end = merge->first_mode[process + 1];
	struct hook_cost *cost = &merge->process_cost[process];
	double *longer = xcalloc(end - first, sizeof(*longer));
	size_t count = 0;

	for (size_t i = first; i < end; i++)
		count += (size_t)longer_in_windows(&counted->sums[i], cost->inner_ns,
						   &longer[count]);
	hook_cost_measure_inner(cost, longer, count);
	free(longer);
}

static void forget_times(struct rate_sums *sums)
{
	sums->timed_calls = sums->raw_ns = sums->self_ns = 0;
	sums->child_calls = sums->below_calls = sums->nested_calls = 0;
}

/* What a process does not know, another one may. */
static void find_rates(struct counted *counted)
{
	struct merge *merge = counted->merge;
	struct rate_sums *run = xcalloc(merge->identify.function_count, sizeof(*run));

	for (size_t i = 0; i < merge->mode_count; i++) {
		if (merge->modes[i].function != MERGE_NO_FUNCTION)
			rate_add_sums(&run[merge->modes[i].function], &counted->sums[i]);
	}
	for (size_t i = 0; i < merge->mode_count; i++) {
		const struct merge_mode *mode = &merge->modes[i];
		const struct rate_sums *sums = &counted->sums[i];

		if (mode->function == MERGE_NO_FUNCTION || counted->same[i] != i)
			continue;
		if (sums->timed_calls < 1)
			sums = &run[mode->function];
		rate_find(&counted->rates[i], sums, &merge->process_cost[mode->process],
			  (double)mode->code_bytes);
	}
	free(run);
}

static void note_samples(struct counted *counted, struct kept_lane *lane)
{
	struct merge *merge = counted->merge;
	struct account_cost cost = {&merge->process_cost[lane->process],
				    counted->window_shares, lane->stack_ns};

	if (!divide_has(merge, lane->lane))
		return;
	sampled_credit(&merge->sampled, lane->lane, &merge->identify, counted->mode_of);
	kept_restore(&counted->kept, lane, merge);
	account_selves(merge, &cost);
	divide_note(counted->divide, merge, lane->lane,
		    &counted->moves.all[lane->moves.first],
		    lane->moves.end - lane->moves.first);
	account_clear(merge);
}

static void finish_lane(struct counted *counted, struct kept_lane *lane)
{
	struct merge *merge = counted->merge;
	struct account_cost cost = {&merge->process_cost[lane->process],
				    counted->window_shares, lane->stack_ns};
	uint64_t end_ticks = counted->ends[lane->process].end_ticks;
	int64_t wall_ns = ticks_since_start_ns(merge->ticks, end_ticks);

	kept_restore(&counted->kept, lane, merge);
	account_selves(merge, &cost);
	if (divide_has(merge, lane->lane))
		divide_lane(counted->divide, merge, lane->lane,
			    &counted->moves.all[lane->moves.first],
			    lane->moves.end - lane->moves.first);
	else if (lane->moves.first < lane->moves.end)
		moves_make(&counted->moves.all[lane->moves.first],
			   lane->moves.end - lane->moves.first, merge, counted->rates,
			   cost.hooks, wall_ns, counted->reach);
	account_totals(merge, lane->lane);
}

/* The lanes are in the order of their processes, each of which marks its functions. */
static void for_each_lane(struct counted *counted,
			  void (*step)(struct counted *, struct kept_lane *))
{
	struct kept_lane *lanes = counted->kept.lanes;

	for (size_t i = 0; i < counted->kept.lane_count; i++) {
		uint32_t process = lanes[i].process;

		if (i == 0 || lanes[i - 1].process != process)
			mark_functions(counted, process, 0);
		step(counted, &lanes[i]);
		if (i + 1 == counted->kept.lane_count || lanes[i + 1].process != process)
			mark_functions(counted, process, 1);
	}
}

static void make_tables(struct counted *counted)
{
	const struct merge *merge = counted->merge;
	size_t functions = merge->identify.function_count;

	counted->rates = xcalloc(merge->mode_count, sizeof(*counted->rates));
	counted->same = xcalloc(merge->mode_count, sizeof(*counted->same));
	counted->mode_of = xcalloc(functions, sizeof(*counted->mode_of));
	counted->window_shares = xcalloc(functions, sizeof(*counted->window_shares));
	counted->below = xcalloc(merge->path_count, sizeof(*counted->below));
	counted->hosts = hosts_new(merge);
}

void counted_finish(struct counted *counted, const struct merge_end *ends)
{
	if (!counted->kept.lane_count)
		return;
	counted->ends = ends;
	kept_order(&counted->kept);
	nested_find(&counted->kept, counted->merge);
	make_tables(counted);
	for_each_lane(counted, count_frames);
	hosts_find(counted->hosts);
	/* once to find what windows cost inside, then less that */
	for_each_lane(counted, time_frames);
	for (uint32_t i = 0; i < counted->merge->run->process_count; i++)
		measure_inner(counted, i);
	for (size_t i = 0; i < counted->merge->mode_count; i++)
		forget_times(&counted->sums[i]);
	for_each_lane(counted, time_frames);
	weights_finish(&counted->weights);
	for_each_lane(counted, place_calls);
	find_rates(counted);
	for_each_lane(counted, find_hidden);
	find_rates(counted);
	counted->reach = reach_new(counted->merge);
	counted->divide = divide_new(counted->merge, counted->mode_of);
	for_each_lane(counted, note_samples);
	for_each_lane(counted, finish_lane);
}

void counted_free(struct counted *counted)
{
	free(counted->sums);
	free(counted->rates);
	free(counted->same);
	free(counted->mode_of);
	free(counted->window_shares);
	free(counted->below);
	free(counted->exact_above);
	hosts_free(counted->hosts);
	reach_free(counted->reach);
	divide_free(counted->divide);
	kept_done(&counted->kept);
	moves_done(&counted->moves);
	weights_done(&counted->weights);
	free(counted);
}
