/* SPDX-License-Identifier: MIT */
/*
 * The lanes of processes that counted calls, kept until the paths and times of all are
 * known. Must not look at a lane's cells but one lane at a time.
 */
#include "collector/account/counted.h"

#include <stdlib.h>
#include <string.h>

#include "collector/account/account.h"
#include "collector/account/apportion.h"
#include "collector/account/modes.h"
#include "collector/account/moves.h"
#include "collector/account/rate.h"
#include "collector/account/weights.h"
#include "common/base/array.h"
#include "common/base/xalloc.h"

/* A cell as the lane filled it. */
struct kept_cell {
	uint32_t path;
	uint64_t total_ticks;
	QUANTITY_FIELDS(LANE);
};

/* A function's calls in a lane that have no frame. */
struct kept_count {
	uint32_t mode; /* index in merge->modes */
	uint64_t calls;
};

/* Of them, those on one path. */
struct kept_calls {
	uint32_t mode, path;
	uint64_t calls;
};

/* [first, end) of a growing array. */
struct range {
	size_t first, end;
};

struct kept_lane {
	uint32_t lane, process;
	struct range cells, counts, calls, moves;
};

/* Calls are divided among paths as long as there are not more parts than this; then all
 * of a function's go to its most frequent path. */
#define PARTS_MOST (1u << 22)

struct counted {
	struct merge *merge;
	struct kept_lane *lanes;
	struct kept_cell *cells;
	struct kept_count *counts;
	struct kept_calls *calls;
	size_t lane_count, cell_count, count_count, call_count;
	struct moves moves;
	struct weights weights;
	struct rate_sums *sums; /* parallel to merge->modes, as the following */
	struct rate *rates;
	uint32_t *same; /* the first mode of the process with the same function */
	/* by function: its mode in the process that is looked at; 0: none */
	uint32_t *mode_of;
	double *below; /* by path: calls with frames at and below it; 0 between lanes */
	uint32_t *exact_above; /* by path of the lane in the cells: see moves.h */
};

struct counted *counted_new(struct merge *merge)
{
	struct counted *counted = xcalloc(1, sizeof(*counted));

	counted->merge = merge;
	return counted;
}

static void keep_counts(struct counted *counted, uint32_t process,
			const struct lane_counts *counts)
{
	struct merge *merge = counted->merge;

	for (uint32_t number = 1; number < counts->count_count; number++) {
		uint64_t calls = counts->counts[number].call_count;
		struct merge_mode *mode = modes_find(merge, process, number);

		if (!calls)
			continue;
		if (!mode || mode->function == MERGE_NO_FUNCTION) {
			merge_add(&merge->damaged_count, 1);
			continue;
		}
		merge_add(&mode->counted_calls, calls);
		merge_add(&merge->counted_call_count, calls);
		counted->counts = array_room(counted->counts, counted->count_count,
					     sizeof(*counted->counts));
		counted->counts[counted->count_count++] =
			(struct kept_count){(uint32_t)(mode - merge->modes), calls};
	}
}

static struct rate_sums *sums_of(struct counted *counted, size_t mode)
{
	if (!counted->sums)
		counted->sums =
			xcalloc(counted->merge->mode_count, sizeof(*counted->sums));
	return &counted->sums[mode];
}

static void keep_windows(struct counted *counted, uint32_t process,
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
		merge_add(&mode->window_calls, window->call_count);
		sums = sums_of(counted, (size_t)(mode - merge->modes));
		sums->window_calls += (double)window->call_count;
		sums->window_ns += (double)window->total_ticks * ns_per_tick;
		sums->window_squares += window->squared_ticks * ns_per_tick * ns_per_tick;
		sums->windows += (double)counts->windows_of_lane;
	}
}

void counted_keep(struct counted *counted, uint32_t lane, struct lane_counts *counts)
{
	struct merge *merge = counted->merge;
	struct kept_lane kept = {.lane = lane,
				 .process = merge->run->lanes[lane].process};

	kept.cells.first = counted->cell_count;
	for (size_t i = 0; i < merge->touched_count; i++) {
		const struct merge_cell *cell = &merge->cells[merge->touched[i]];
		struct kept_cell *to;

		counted->cells = array_room(counted->cells, counted->cell_count,
					    sizeof(*counted->cells));
		to = &counted->cells[counted->cell_count++];
		to->path = merge->touched[i];
		to->total_ticks = cell->total_ticks;
		memcpy(to->quantities, cell->quantities, sizeof(to->quantities));
	}
	account_clear(merge);
	kept.cells.end = counted->cell_count;
	kept.counts.first = counted->count_count;
	keep_counts(counted, kept.process, counts);
	keep_windows(counted, kept.process, counts);
	kept.counts.end = counted->count_count;
	counted->lanes = array_room(counted->lanes, counted->lane_count, sizeof(kept));
	counted->lanes[counted->lane_count++] = kept;
}

/* Puts a lane's cells back, with the calls that have been found for them. */
static void restore(struct counted *counted, const struct kept_lane *lane)
{
	struct merge *merge = counted->merge;

	for (size_t i = lane->cells.first; i < lane->cells.end; i++) {
		const struct kept_cell *from = &counted->cells[i];
		struct merge_cell *cell = merge_touch(merge, from->path);

		cell->total_ticks = from->total_ticks;
		memcpy(cell->quantities, from->quantities, sizeof(cell->quantities));
	}
	for (size_t i = lane->calls.first; i < lane->calls.end; i++) {
		const struct kept_calls *from = &counted->calls[i];
		struct merge_cell *cell = merge_touch(merge, from->path);
		int64_t room = INT64_MAX - cell->calls;
		int64_t calls = quantity_of_count(from->calls);

		if (calls > room)
			calls = room;
		cell->calls += calls;
		cell->counted_calls += calls;
	}
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
			continue;
		}
		if (!counted->mode_of[function])
			counted->mode_of[function] = (uint32_t)i;
		counted->same[i] = counted->mode_of[function];
	}
}

static void add_sums(struct counted *counted, const struct kept_lane *lane, uint32_t path,
		     uint32_t mode)
{
	struct merge *merge = counted->merge;
	const struct hook_cost *cost = &merge->process_cost[lane->process];
	const struct merge_cell *cell = &merge->cells[path];
	struct weight weight = {merge->modes[mode].function, lane->process, lane->lane,
				path, (uint64_t)cell->calls};
	double calls = (double)cell->calls;

	if (merge->modes[mode].least == SEGMENT_RECORDING_OFF)
		merge->paths[path].recording = SEGMENT_RECORDING_OFF;
	if (cell->calls <= 0)
		return;
	weights_add(&counted->weights, &weight);
	rate_add_sums(sums_of(counted, mode),
		      &(struct rate_sums){
			      .calls = calls,
			      .raw_ns = (double)cell->raw_total_ns,
			      .self_ns = (double)cell->raw_self_ns -
					 cost->inner_ns * calls -
					 cost->outer_ns * (double)cell->child_calls -
					 cost->alloc_ns * (double)cell->allocs,
			      .child_calls = (double)cell->child_calls,
			      .below_calls = counted->below[path] - calls});
}

/* Where calls with frames are, and how long they took. */
static void look_at_frames(struct counted *counted, const struct kept_lane *lane)
{
	struct merge *merge = counted->merge;

	restore(counted, lane);
	account_selves(merge, &merge->process_cost[lane->process]);
	for (size_t i = merge->touched_count; i-- > 0;) {
		uint32_t path = merge->touched[i], parent = merge->paths[path].parent;
		uint32_t mode = counted->mode_of[merge->paths[path].function];

		counted->below[path] += (double)merge->cells[path].calls;
		counted->below[parent] += counted->below[path];
		if (mode && merge->paths[path].kind == MERGE_FUNCTION)
			add_sums(counted, lane, path, mode);
	}
	for (size_t i = 0; i < merge->touched_count; i++)
		counted->below[merge->touched[i]] = 0;
	counted->below[0] = 0;
	account_clear(merge);
}

static void add_calls(struct counted *counted, uint32_t mode, uint32_t path,
		      uint64_t calls)
{
	struct merge *merge = counted->merge;
	enum segment_recording least = merge->modes[mode].least;

	if (!calls)
		return;
	if (least == SEGMENT_RECORDING_EXACT || least == SEGMENT_RECORDING_OFF)
		least = SEGMENT_RECORDING_COUNTED; /* as it shows */
	if (least > merge->paths[path].recording)
		merge->paths[path].recording = least;
	counted->calls =
		array_room(counted->calls, counted->call_count, sizeof(*counted->calls));
	counted->calls[counted->call_count++] = (struct kept_calls){mode, path, calls};
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
	add_calls(counted, mode, merge_child_path(merge, 0, function, MERGE_FUNCTION),
		  calls);
}

static void divide(struct counted *counted, const struct kept_lane *lane,
		   const struct kept_count *count)
{
	size_t paths;
	const struct weight *found = weights_find(
		&counted->weights, counted->merge->modes[count->mode].function,
		lane->process, lane->lane, &paths);
	uint64_t *weights, *parts;

	if (!paths) {
		add_nowhere(counted, count->mode, count->calls);
		return;
	}
	if (counted->call_count + paths > PARTS_MOST)
		paths = 1;
	weights = xcalloc(paths, sizeof(*weights));
	parts = xcalloc(paths, sizeof(*parts));
	for (size_t i = 0; i < paths; i++)
		weights[i] = found[i].calls;
	apportion(count->calls, weights, paths, parts);
	for (size_t i = 0; i < paths; i++)
		add_calls(counted, count->mode, found[i].path, parts[i]);
	free(weights);
	free(parts);
}

/* Which path has which calls, and where their time was recorded. */
static void place_calls(struct counted *counted, struct kept_lane *lane)
{
	struct merge *merge = counted->merge;

	lane->calls.first = counted->call_count;
	for (size_t i = lane->counts.first; i < lane->counts.end; i++)
		divide(counted, lane, &counted->counts[i]);
	lane->calls.end = counted->call_count;
	restore(counted, lane);
	account_begin(merge);
	counted->exact_above = xreallocarray(counted->exact_above, merge->path_count,
					     sizeof(*counted->exact_above));
	moves_find_exact(merge, counted->exact_above);
	lane->moves.first = counted->moves.count;
	for (size_t i = lane->calls.first; i < lane->calls.end; i++) {
		const struct kept_calls *calls = &counted->calls[i];

		moves_find(&counted->moves, merge, counted->exact_above,
			   counted->same[calls->mode], calls->path, (double)calls->calls);
	}
	lane->moves.end = counted->moves.count;
	account_clear(merge);
}

/* The time of calls without frames is in that of the calls around them, where these have
 * frames in windows. */
static void find_hidden(struct counted *counted, const struct kept_lane *lane)
{
	const struct merge *merge = counted->merge;
	double cost = merge->process_cost[lane->process].counted_ns;

	for (size_t i = lane->moves.first; i < lane->moves.end; i++) {
		const struct move *move = &counted->moves.all[i];
		uint32_t mode = counted->mode_of[merge->paths[move->holder].function];

		if (move->is_hidden && mode)
			counted->sums[mode].hidden_ns +=
				move->calls * (counted->rates[move->mode].ns + cost);
	}
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
		if (sums->calls < 1)
			sums = &run[mode->function];
		rate_find(&counted->rates[i], sums, &merge->process_cost[mode->process]);
	}
	free(run);
}

typedef void lane_step(struct counted *counted, struct kept_lane *lane);

static void look_step(struct counted *counted, struct kept_lane *lane)
{
	look_at_frames(counted, lane);
}

static void hidden_step(struct counted *counted, struct kept_lane *lane)
{
	find_hidden(counted, lane);
}

static int by_process(const void *a, const void *b)
{
	const struct kept_lane *left = a, *right = b;

	if (left->process != right->process)
		return left->process < right->process ? -1 : 1;
	return left->lane < right->lane ? -1 : left->lane > right->lane;
}

/* They are in the order of their processes, each of which marks its functions. */
static void for_each_lane(struct counted *counted, lane_step *step)
{
	for (size_t i = 0; i < counted->lane_count; i++) {
		uint32_t process = counted->lanes[i].process;

		if (i == 0 || counted->lanes[i - 1].process != process)
			mark_functions(counted, process, 0);
		step(counted, &counted->lanes[i]);
		if (i + 1 == counted->lane_count ||
		    counted->lanes[i + 1].process != process)
			mark_functions(counted, process, 1);
	}
}

static void finish_lane(struct counted *counted, const struct kept_lane *lane,
			const struct merge_end *ends)
{
	struct merge *merge = counted->merge;
	const struct hook_cost *cost = &merge->process_cost[lane->process];
	int64_t wall_ns =
		ticks_since_start_ns(merge->ticks, ends[lane->process].end_ticks);

	restore(counted, lane);
	account_selves(merge, cost);
	if (lane->moves.first < lane->moves.end)
		moves_make(&counted->moves.all[lane->moves.first],
			   lane->moves.end - lane->moves.first, merge, counted->rates,
			   cost, wall_ns);
	account_totals(merge, lane->lane);
}

void counted_finish(struct counted *counted, const struct merge_end *ends)
{
	struct merge *merge = counted->merge;

	if (!counted->lane_count)
		return;
	qsort(counted->lanes, counted->lane_count, sizeof(*counted->lanes), by_process);
	sums_of(counted, 0);
	counted->rates = xcalloc(merge->mode_count, sizeof(*counted->rates));
	counted->same = xcalloc(merge->mode_count, sizeof(*counted->same));
	counted->mode_of =
		xcalloc(merge->identify.function_count, sizeof(*counted->mode_of));
	counted->below = xcalloc(merge->path_count, sizeof(*counted->below));
	for_each_lane(counted, look_step);
	weights_finish(&counted->weights);
	for_each_lane(counted, place_calls);
	find_rates(counted);
	for_each_lane(counted, hidden_step);
	find_rates(counted);
	for (size_t i = 0; i < counted->lane_count; i++)
		finish_lane(counted, &counted->lanes[i], ends);
}

void counted_free(struct counted *counted)
{
	free(counted->lanes);
	free(counted->cells);
	free(counted->counts);
	free(counted->calls);
	free(counted->sums);
	free(counted->rates);
	free(counted->same);
	free(counted->mode_of);
	free(counted->below);
	free(counted->exact_above);
	moves_done(&counted->moves);
	weights_done(&counted->weights);
	free(counted);
}
