/* SPDX-License-Identifier: MIT */
/*
 * The lanes of processes that counted calls, kept until the paths and times of all are
 * known. Must not look at a lane's cells but one lane at a time.
 */
#include "collector/account/account.h"

#include <stdlib.h>

#include "collector/account/sampled/computed.h"
#include "collector/account/sampled/credit.h"
#include "collector/account/sampled/divide.h"
#include "collector/account/holders.h"
#include "collector/account/kept.h"
#include "collector/account/callers/callers.h"
#include "collector/account/callers/edges.h"
#include "collector/account/weights.h"
#include "collector/merge/results.h"
#include "common/base/xalloc.h"

/*
 * Of entries that were only counted, those that are no calls: of constructors and
 * destructors one variant calls another for the same object (merge/sites.c). Who called
 * them is not known, but that is: a variant that was seen to do so does it each time. So
 * a function was called as often as there were entries, less those of variants that call
 * another. Must not be asked before all lanes are kept.
 */

/* Sums of a function in the lane that is looked at. */
struct nested_sums {
	uint64_t entries; /* only counted */
	uint64_t callers; /* all entries of variants that call another */
	uint64_t nested;  /* entries with frames that are no calls */
};

struct nested_search {
	const struct merge *merge;
	uint8_t *callers; /* by function: a bit for each variant that calls another */
	struct nested_sums *sums;
};

static uint8_t bit(enum demangle_variant variant)
{
	return (uint8_t)(1u << variant);
}

static int has_variants(const struct nested_search *search, uint32_t function)
{
	return search->merge->identify.functions[function].variant != DEMANGLE_ONLY;
}

/* What is inlined into another variant of itself, or called by it, is for the same
 * object. */
static int is_inside(const struct merge_mode *mode)
{
	return (mode->host == mode->function || mode->caller == mode->function) &&
	       mode->host_variant != DEMANGLE_ONLY && mode->host_variant < mode->variant;
}

static int is_caller(const struct nested_search *search, uint32_t function,
		     enum demangle_variant variant)
{
	return (search->callers[function] & bit(variant)) != 0;
}

static void find_callers(struct nested_search *search, const struct kept *kept)
{
	for (size_t i = 0; i < kept->variant_count; i++) {
		const struct variant_count *count = &kept->variants[i];

		if (count->caller_count)
			search->callers[count->function] |= bit(count->variant);
	}
	for (size_t i = 0; i < kept->count_count; i++) {
		const struct merge_mode *mode =
			&search->merge->modes[kept->counts[i].mode];

		if (is_inside(mode))
			search->callers[mode->function] |= bit(mode->host_variant);
	}
}

static void add_up(struct nested_search *search, const struct kept *kept,
		   const struct kept_lane *lane)
{
	for (size_t i = lane->counts.first; i < lane->counts.end; i++) {
		const struct kept_count *count = &kept->counts[i];
		const struct merge_mode *mode = &search->merge->modes[count->mode];
		struct nested_sums *sums = &search->sums[mode->function];

		count_add(&sums->entries, count->calls);
		if (is_caller(search, mode->function, mode->variant))
			count_add(&sums->callers, count->calls);
	}
	for (size_t i = lane->variants.first; i < lane->variants.end; i++) {
		const struct variant_count *count = &kept->variants[i];
		struct nested_sums *sums = &search->sums[count->function];

		count_add(&sums->nested, count->nested_count);
		if (is_caller(search, count->function, count->variant))
			count_add(&sums->callers, count->entry_count);
	}
}

static void forget(struct nested_search *search, const struct kept *kept,
		   const struct kept_lane *lane)
{
	for (size_t i = lane->counts.first; i < lane->counts.end; i++)
		search->sums[search->merge->modes[kept->counts[i].mode].function] =
			(struct nested_sums){.entries = 0};
	for (size_t i = lane->variants.first; i < lane->variants.end; i++)
		search->sums[kept->variants[i].function] =
			(struct nested_sums){.entries = 0};
}

/* From which counts the entries are taken first. */
enum turn { INSIDE, CALLERS, OTHERS, TURNS };

static int has_turn(const struct nested_search *search, const struct merge_mode *mode,
		    enum turn turn)
{
	switch (turn) {
	case INSIDE:
		return is_inside(mode);
	case CALLERS:
		return is_caller(search, mode->function, mode->variant);
	default:
		return 1;
	}
}

/* How many of the function's counted entries are no calls. */
static uint64_t left_of(const struct nested_sums *sums)
{
	uint64_t nested = sums->callers > sums->nested ? sums->callers - sums->nested : 0;

	return nested < sums->entries ? nested : sums->entries;
}

static void take(struct nested_search *search, struct kept *kept,
		 const struct kept_lane *lane, enum turn turn)
{
	for (size_t i = lane->counts.first; i < lane->counts.end; i++) {
		struct kept_count *count = &kept->counts[i];
		const struct merge_mode *mode = &search->merge->modes[count->mode];
		struct nested_sums *sums = &search->sums[mode->function];
		uint64_t nested = left_of(sums);

		if (!has_variants(search, mode->function) ||
		    !has_turn(search, mode, turn))
			continue;
		if (nested > count->calls)
			nested = count->calls;
		count->calls -= nested;
		count->nested_calls += nested;
		count_add(&sums->nested, nested);
	}
}

static void book(struct merge *merge, const struct kept_count *count)
{
	struct merge_mode *own = &merge->modes[merge->modes[count->mode].own];

	count_add(&merge->nested_counted_count, count->nested_calls);
	own->counted_calls -= count->nested_calls < own->counted_calls
				      ? count->nested_calls
				      : own->counted_calls;
}

/* Moves them from the calls of each count to its nested_calls. */
static void nested_find(struct kept *kept, struct merge *merge)
{
	size_t functions = merge->identify.function_count;
	struct nested_search search = {.merge = merge};

	search.callers = pool_array(kept->pool, functions, sizeof(*search.callers));
	search.sums = pool_array(kept->pool, functions, sizeof(*search.sums));
	find_callers(&search, kept);
	for (size_t i = 0; i < kept->lane_count; i++) {
		const struct kept_lane *lane = &kept->lanes[i];

		add_up(&search, kept, lane);
		for (enum turn turn = INSIDE; turn < TURNS; turn++)
			take(&search, kept, lane, turn);
		forget(&search, kept, lane);
	}
	for (size_t i = 0; i < kept->count_count; i++)
		book(merge, &kept->counts[i]);
}

struct counted {
	struct pool pool; /* of all that follows */
	struct merge *merge;
	struct kept kept;
	struct holders holders;
	struct weights weights;
	/* by function, in the process that is looked at: its mode, 0: none */
	uint32_t *mode_of;
	uint32_t *exact_above; /* by path of the lane in the cells: see holders.h */
	struct hosts *hosts;
	struct callers *callers;
	struct edges *edges;
	struct divide *divide;
};

struct counted *counted_new(struct merge *merge)
{
	struct counted *counted = xcalloc(1, sizeof(*counted));

	counted->merge = merge;
	counted->kept.pool = counted->holders.pool = counted->weights.pool =
		&counted->pool;
	return counted;
}

void counted_keep(struct counted *counted, uint32_t lane,
		  const struct lane_counts *counts)
{
	kept_add(&counted->kept, counted->merge, lane, counts);
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
		if (take_back)
			counted->mode_of[function] = 0;
		else if (!counted->mode_of[function])
			counted->mode_of[function] = (uint32_t)i;
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
		if (!mode && !callers_has(counted->callers, weight.function))
			continue;
		if (mode && merge->modes[mode].least == SEGMENT_RECORDING_OFF)
			merge->paths[cell->path].recording = SEGMENT_RECORDING_OFF;
		weight.calls = cell->calls > 0 ? (uint64_t)cell->calls : 0;
		weight.passed_calls =
			cell->passed_calls > 0 ? (uint64_t)cell->passed_calls : 0;
		weights_add(&counted->weights, &weight);
	}
}

/* Which path has which calls, and where their time was recorded. */
static void place_calls(struct counted *counted, struct kept_lane *lane)
{
	struct merge *merge = counted->merge;
	struct kept *kept = &counted->kept;

	edges_place(counted->edges, lane);
	kept_restore(kept, lane, merge);
	account_begin(merge);
	counted->exact_above =
		pool_resize(&counted->pool, counted->exact_above, merge->path_count,
			    sizeof(*counted->exact_above));
	holders_find_exact(merge, counted->exact_above);
	lane->held.first = counted->holders.count;
	for (size_t i = lane->calls.first; i < lane->calls.end; i++) {
		const struct kept_calls *calls = &kept->calls[i];

		holders_find(
			&counted->holders, merge, counted->exact_above,
			&(struct held){.path = calls->path,
				       .function = merge->modes[calls->mode].function,
				       .is_nested = calls->is_nested,
				       .calls = (double)calls->calls});
	}
	lane->held.end = counted->holders.count;
	account_clear(merge);
}

/* The lane in the cells, with what was recorded of its times. Returns its calls without
 * frames. */
static struct held *restore(struct counted *counted, const struct kept_lane *lane,
			    size_t *ret_count)
{
	struct merge *merge = counted->merge;
	struct held *held = counted->holders.all + lane->held.first;

	*ret_count = lane->held.end - lane->held.first;
	kept_restore(&counted->kept, lane, merge);
	holders_note(merge, held, *ret_count);
	account_selves(merge, &(struct account_cost){&merge->process_cost[lane->process],
						     lane->stack_ns});
	return held;
}

static void note_samples(struct counted *counted, struct kept_lane *lane)
{
	size_t count;
	const struct held *held;

	if (!computed_has_samples(counted->merge, lane->lane))
		return;
	divide_credit(counted->divide, counted->merge, lane->lane);
	held = restore(counted, lane, &count);
	divide_note(counted->divide, counted->merge, lane->lane, held, count);
	account_clear(counted->merge);
}

static void finish_lane(struct counted *counted, struct kept_lane *lane)
{
	size_t count;
	struct held *held = restore(counted, lane, &count);

	divide_lane(counted->divide, counted->merge, lane->lane, held, count);
	account_totals(counted->merge, lane->lane);
}

/* What was counted has a time where samples tell it. */
static void name_sampled(struct counted *counted)
{
	struct merge *merge = counted->merge;

	for (size_t i = 1; i < merge->path_count; i++)
		if (merge->paths[i].recording == SEGMENT_RECORDING_COUNTED &&
		    divide_knows(counted->divide, merge->paths[i].function))
			merge->paths[i].recording = MERGE_SAMPLED;
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

void counted_finish(struct counted *counted)
{
	struct pool *pool = &counted->pool;
	struct merge *merge = counted->merge;

	if (!counted->kept.lane_count)
		return;
	kept_order(&counted->kept);
	nested_find(&counted->kept, merge);
	counted->mode_of = pool_array(pool, merge->identify.function_count,
				      sizeof(*counted->mode_of));
	counted->hosts = hosts_new(pool, merge);
	counted->callers = callers_new(pool, merge);
	for_each_lane(counted, count_frames);
	hosts_find(counted->hosts, counted->callers);
	weights_finish(&counted->weights);
	counted->edges = edges_new(merge, &counted->kept, &counted->weights,
				   counted->hosts, counted->callers);
	for_each_lane(counted, place_calls);
	counted->divide = divide_new(pool, merge, counted->mode_of);
	for_each_lane(counted, note_samples);
	for_each_lane(counted, finish_lane);
	name_sampled(counted);
	sampled_forget_callers(&merge->sampled);
}

void counted_free(struct counted *counted)
{
	callers_done(counted->callers);
	pool_done(&counted->pool);
	free(counted);
}
