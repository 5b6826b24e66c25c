/* SPDX-License-Identifier: MIT */
/* Rates from counts, and what follows from them. */
#include "shim/budget/review.h"

#include "shim/budget/settings.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"
#include "shim/patch/modes.h"

/* A function is given back at most so often, ever more seldom: after 0.8, 1.6, ... s. */
#define CHANGES_MOST 20u
#define CHANGES_SHIFT_MOST 8u
#define AT_ONCE 16u	    /* functions that a review gives back */
#define COUNTED_AT_ONCE 64u /* or has counted, */
#define COUNTED_PART 512u   /* that have at least such a part of the calls */
#define KNOWN_CALLS 256u    /* in windows, before a function goes without */
#define FREE_PART 0.5	    /* of the budget, before something is given back */
/* Of the budget, what functions given back may cost though counting others exceeds it,
 * and what each of them may. Looks leave half of it to exact calls then. */
#define CHEAP_ALL_PART 0.25
#define CHEAP_PART (1.0 / 16)
#define FRAMES_SEARCHED 256u /* for open calls that will have no exit */

static uint64_t due_ticks;	    /* of the next one; atomic */
static uint64_t last_ticks;	    /* of the one before, by the process's CPU clock */
static uint64_t last_review_ticks;  /* when that was */
static uint32_t interval_shift = 3; /* they come after 12, 25, 50 ms, then each 0.1 s */
static uint64_t *last_counts;

/* What all threads have computed, which the budget is a part of: on a busy machine, and
 * of a server, far less than there was time. Where it may not be asked for: the time. */
static uint64_t computed_ticks(uint64_t now)
{
	struct timespec cpu;
	long result;

	if (gate_is_restricted() || !gate_enter())
		return now;
	result = SYSCALL(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &cpu, 0, 0, 0, 0);
	gate_leave();
	if (result < 0)
		return now;
	return (uint64_t)(((double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9) *
			  process_facts.run->ticks_per_second);
}

static uint64_t calls_of(uint32_t number)
{
	uint64_t sum = 0;

	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane) {
		if (lane->all_counts)
			sum += lane->all_counts[number];
	}
	return sum;
}

static uint64_t window_calls_of(uint32_t number)
{
	uint64_t sum = 0;

	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane) {
		const struct segment_lane *segment = lane->lane;
		const struct segment_window *windows =
			arrays_entries(segment, &segment->windows);

		if (number < segment->windows.count)
			sum += windows[number].call_count;
	}
	return sum;
}

static double pair_ticks(void)
{
	return process_facts.run->inner_cost_ticks + process_facts.run->outer_cost_ticks;
}

/* Calls since the last review that are seen this time only. */
struct rates {
	uint64_t *calls; /* by number */
	uint64_t sum, ticks;
};

/* Open calls of a function that loses its exits: their callers will close them. */
static void note_cut_frames(uint64_t function)
{
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane) {
		const struct segment_frame *frame = lane->top;

		for (uint32_t i = 0; i < FRAMES_SEARCHED && frame > lane->frames; i++)
			if ((--frame)->function == function)
				lane->lane->cut_frame_count++;
	}
}

/* wait_shift: the first time after 0.2 s, twice that for each. */
static int may_be_given_back(uint32_t number, uint64_t now, uint32_t wait_shift)
{
	const struct segment_mode *mode = modes_record(number);
	uint32_t shift = mode->change_count;

	/* of one that has not been counted for as long as the calls are from, they are
	 * few */
	if (mode->reason == SEGMENT_REASON_ASKED || shift >= CHANGES_MOST ||
	    mode->since_ticks > last_review_ticks)
		return 0;
	if (shift > CHANGES_SHIFT_MOST)
		shift = CHANGES_SHIFT_MOST;
	return now - mode->since_ticks > clock_tenth_of_second() << (shift + wait_shift);
}

/* What may be given back; shares are of the time. */
struct room {
	double free_share; /* of all together, what is left */
	double most_share; /* of one function */
	uint32_t wait_shift;
};

/* The numbers with the fewest or the most calls, in that order: one look at all of them,
 * of which there may be 250,000. */
struct ranking {
	uint32_t numbers[COUNTED_AT_ONCE];
	uint32_t count, limit;
	int is_descending;
};

/* Its numbers are written before they are read: no memset(), which is libc's. */
static void ranking_begin(struct ranking *ret, uint32_t limit, int is_descending)
{
	ret->count = 0;
	ret->limit = limit;
	ret->is_descending = is_descending;
}

static int is_before(const struct ranking *ranking, const struct rates *rates, uint32_t a,
		     uint32_t b)
{
	return ranking->is_descending ? rates->calls[a] > rates->calls[b]
				      : rates->calls[a] < rates->calls[b];
}

static void rank(struct ranking *ranking, const struct rates *rates, uint32_t number)
{
	uint32_t at = ranking->count;

	if (at == ranking->limit &&
	    !is_before(ranking, rates, number, ranking->numbers[at - 1]))
		return;
	if (at < ranking->limit)
		ranking->count++;
	else
		at--;
	for (; at && is_before(ranking, rates, number, ranking->numbers[at - 1]); at--)
		ranking->numbers[at] = ranking->numbers[at - 1];
	ranking->numbers[at] = number;
}

/* Those called least, as long as each costs no more than what is free. */
static void give_back(const struct rates *rates, uint64_t now, struct room room)
{
	struct ranking least;

	ranking_begin(&least, AT_ONCE, 0);
	for (uint32_t i = 1; i < modes_count; i++) {
		if (rates->calls[i] && modes_recording(i) != SEGMENT_RECORDING_EXACT &&
		    modes_recording(i) != SEGMENT_RECORDING_OFF &&
		    may_be_given_back(i, now, room.wait_shift))
			rank(&least, rates, i);
	}
	for (uint32_t i = 0; i < least.count; i++) {
		double share = (double)rates->calls[least.numbers[i]] * pair_ticks() /
			       (double)rates->ticks;

		if (share > room.free_share || share > room.most_share)
			return;
		room.free_share -= share;
		modes_set(modes_function(least.numbers[i]), SEGMENT_RECORDING_EXACT,
			  SEGMENT_REASON_BUDGET);
	}
}

/* The most frequent go without windows, once they are known well. One is left, whose
 * pulse keeps the lanes looking. */
static void take_windows(const struct rates *rates)
{
	struct ranking most;

	ranking_begin(&most, COUNTED_AT_ONCE, 1);
	for (uint32_t i = 1; i < modes_count; i++) {
		if (rates->calls[i] && rates->calls[i] >= rates->sum / COUNTED_PART &&
		    modes_recording(i) == SEGMENT_RECORDING_WINDOWS)
			rank(&most, rates, i);
	}
	for (uint32_t i = 0; i < most.count; i++) {
		uint32_t number = most.numbers[i];

		if (rates->calls[number] < rates->sum / 2 &&
		    window_calls_of(number) >= KNOWN_CALLS) {
			note_cut_frames(modes_function(number));
			modes_set(modes_function(number), SEGMENT_RECORDING_COUNTED,
				  SEGMENT_REASON_BUDGET);
		}
	}
}

/* A function's own entry comes before those of its hosts. */
static void count_calls(struct rates *rates)
{
	for (uint32_t i = 1; i < modes_count; i++) {
		uint64_t calls = calls_of(i), more = calls - last_counts[i];

		rates->calls[i] = 0;
		rates->calls[modes_own(i)] += more;
		rates->sum += more;
		last_counts[i] = calls;
	}
}

static void review(uint64_t now, uint64_t ticks, double hook_share, double allowed_share)
{
	struct rates rates = {.ticks = ticks};
	double counted_share;

	if (!last_counts)
		last_counts =
			process_map(2ull * SEGMENT_MODE_LIMIT * sizeof(*last_counts), 0);
	if (!last_counts)
		return;
	rates.calls = last_counts + SEGMENT_MODE_LIMIT;
	count_calls(&rates);
	counted_share = (double)rates.sum * process_facts.run->counted_cost_ticks /
			(double)rates.ticks;
	if (counted_share + hook_share < allowed_share * FREE_PART)
		give_back(&rates, now,
			  (struct room){allowed_share * FREE_PART - counted_share -
						hook_share,
					1, 2});
	else
		give_back(&rates, now,
			  (struct room){allowed_share * CHEAP_ALL_PART - hook_share,
					allowed_share * CHEAP_PART, 0});
	if (counted_share > allowed_share)
		take_windows(&rates);
}

void review_if_due(struct lane_context *context, uint64_t now, double hook_share,
		   double allowed_share)
{
	uint64_t due = __atomic_load_n(&due_ticks, __ATOMIC_RELAXED), computed;

	if (now < due || !modes_count ||
	    !settings_begin_change(context, (uintptr_t)__builtin_frame_address(0)))
		return;
	computed = computed_ticks(now);
	/* the first only begins to count */
	if (last_ticks && computed - last_ticks > clock_tenth_of_second() >> 5) {
		review(now, computed - last_ticks, hook_share, allowed_share);
		last_ticks = computed;
		last_review_ticks = now;
		if (interval_shift)
			interval_shift--;
	} else if (!last_ticks || computed < last_ticks) {
		last_ticks = computed;
		last_review_ticks = now;
	}
	__atomic_store_n(&due_ticks, now + (clock_tenth_of_second() >> interval_shift),
			 __ATOMIC_RELAXED);
	settings_end_change(context);
}
