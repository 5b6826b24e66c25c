/* SPDX-License-Identifier: MIT */
/* The limit, and who is beyond it. */
#include "shim/budget/counting.h"

#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/functions.h"
#include "shim/lane/tree.h"
#include "shim/patch/modes.h"

/* Of the budget, for hooks: what counting takes cannot be had back by counting more. */
#define HOOKS_PART 0.5

/* Calls are short that take less than 16, 32, 64, 128 times what their hooks do. */
#define FIRST_FACTOR 16.0
#define FACTOR_STEPS 3u
#define RECURSIVE_FRAMES 3

double rule_allowed_share(void)
{
	double part = process_facts.run->overhead_percent / 100;

	return HOOKS_PART * part / (1 + part);
}

double rule_pair_ticks(void)
{
	return process_facts.run->inner_cost_ticks + process_facts.run->outer_cost_ticks;
}

int rule_is_short(const struct lane_context *context, double mean_ticks)
{
	uint32_t step = context->budget.step;

	if (step > FACTOR_STEPS)
		step = FACTOR_STEPS;
	return mean_ticks < FIRST_FACTOR * (double)(1u << step) * rule_pair_ticks();
}

double rule_cost(uint64_t calls, uint64_t ticks)
{
	return (double)calls * rule_pair_ticks() /
	       (rule_allowed_share() * (double)(ticks + 1));
}

int rule_may_take(uint64_t function)
{
	return !segment_key_is_region(function) && !waiters_have(function);
}

int rule_is_recursive(const struct lane_context *context, uint64_t function)
{
	const struct segment_frame *frame = context->top;

	for (int i = 0; i < RECURSIVE_FRAMES && frame > context->frames; i++)
		if ((--frame)->function == function)
			return 1;
	return 0;
}

/*
 * The least counts, as it does of hooks: any may be interrupted, or have memory to map.
 * It rises slowly when others take longer. (The mean was tried, with no bound: a price
 * that was too high at the start stayed so, for hardly a function was taken that could
 * have told better, and of 30,000 that had 4,800 calls each next to none was counted.)
 */

/* Looks at a busy function are some hundred calls apart, so that what is paid is noticed
 * late. (Of 30,000 functions, 400 calls of each: with the whole price a run of three
 * rounds took longer than with none, with half of it a run of one as long.) */
#define PART 0.65
#define MOST_TICKS (clock_tenth_of_second() >> 12) /* 24 us */

static uint64_t least_ticks; /* 0: unknown; atomic */

int price_is_paid(double hook_ticks)
{
	return hook_ticks >=
	       PART * (double)__atomic_load_n(&least_ticks, __ATOMIC_RELAXED);
}

void price_note(uint64_t ticks)
{
	uint64_t least = __atomic_load_n(&least_ticks, __ATOMIC_RELAXED);

	least += least / 16;
	if (!least || least > MOST_TICKS)
		least = MOST_TICKS;
	__atomic_store_n(&least_ticks, ticks < least ? ticks : least, __ATOMIC_RELAXED);
}

#define CALLS 200u
/* Of what is allowed, before a short function is counted again. */
#define LEAST_COST (1.0 / 16)
#define TRIALS_MOST 6u
#define FIRST_WAIT_TICKS (10 * clock_tenth_of_second())
#define INTERVAL_TICKS (clock_tenth_of_second() >> 2)
#define AT_ONCE 4u     /* functions that are given back */
#define SEARCHED 4096u /* functions that are looked at for that */

/* Several threads may add to it at once, and lose some of it. */
struct trial {
	uint64_t ticks, first_ticks;
	uint32_t call_count, recursive_count;
	uint64_t mean_ticks;	/* of the latest CALLS */
	uint64_t counted_ticks; /* since when it has been counted, of CPU time */
};

static struct trial *trials; /* by number */
static uint64_t due_ticks;   /* atomic */
static uint32_t next_number;

static void judge(struct lane_context *context, const struct trials_call *call,
		  const struct trial *trial)
{
	uint64_t passed = call->now - trial->first_ticks;
	int is_short = rule_is_short(context, (double)trial->ticks / CALLS);

	if (trial->recursive_count * 2 > CALLS)
		is_short |= rule_cost(CALLS, passed) > RULE_RECURSION_COST;
	if (is_short && rule_cost(CALLS, passed) > LEAST_COST &&
	    rule_may_take(call->function))
		modes_take(call->function, &(struct modes_exit){call->exit_return_address,
								call->call_site});
}

void trials_note_call(struct lane_context *context, const struct trials_call *call)
{
	uint32_t number = modes_find(call->function);
	struct trial *trial;

	if (!trials || !number || process_facts.run->overhead_percent <= 0 ||
	    modes_recording(number) != SEGMENT_RECORDING_EXACT)
		return;
	trial = &trials[number];
	if (!trial->call_count)
		trial->first_ticks = call->now;
	trial->ticks += call->ticks;
	trial->recursive_count += (uint32_t)rule_is_recursive(context, call->function);
	if (++trial->call_count < CALLS)
		return;
	judge(context, call, trial);
	*trial = (struct trial){.mean_ticks = trial->ticks / CALLS};
}

double trials_mean(uint32_t number)
{
	return trials ? (double)trials[number].mean_ticks : 0;
}

/* What all threads have computed: on a busy machine, and of a server, far less than there
 * was time. Where it may not be asked for: the time. */
static uint64_t computed_ticks(uint64_t now)
{
	uint64_t ns;

	if (!gate_enter())
		return now;
	ns = clock_ask(CLOCK_PROCESS_CPUTIME_ID);
	gate_leave();
	return ns == UINT64_MAX ? now : process_ticks_of(ns);
}

/* A function has changed twice for each trial, and once before the first. */
static int is_due(uint32_t number, uint64_t computed)
{
	const struct segment_mode *mode = modes_record(number);
	struct trial *trial = &trials[number];
	uint32_t count = mode->change_count / 2;

	if (modes_recording(number) != SEGMENT_RECORDING_COUNTED ||
	    mode->reason == SEGMENT_REASON_ASKED || count >= TRIALS_MOST)
		return 0;
	if (!trial->counted_ticks)
		trial->counted_ticks = computed;
	return computed - trial->counted_ticks > FIRST_WAIT_TICKS << 2 * count;
}

static void begin(uint32_t number)
{
	trials[number] = (struct trial){.call_count = 0};
	modes_set(modes_function(number), SEGMENT_RECORDING_EXACT, SEGMENT_REASON_BUDGET);
}

/* Not all at once: there may be 250,000. */
static void search(uint64_t now)
{
	uint64_t computed = computed_ticks(now);
	uint32_t count = 0;

	for (uint32_t i = 1; i < modes_count && i < SEARCHED && count < AT_ONCE; i++) {
		next_number = next_number + 1 < modes_count ? next_number + 1 : 1;
		if (modes_own(next_number) != next_number ||
		    !is_due(next_number, computed))
			continue;
		begin(next_number);
		count++;
	}
}

void trials_look(struct lane_context *context, uint64_t now)
{
	uint64_t due = __atomic_load_n(&due_ticks, __ATOMIC_RELAXED);

	if (now < due || !modes_count || process_facts.run->overhead_percent <= 0 ||
	    !changes_begin(context, (uintptr_t)__builtin_frame_address(0)))
		return;
	if (!trials)
		trials = process_map((uint64_t)SEGMENT_MODE_LIMIT * sizeof(*trials), 0);
	if (trials)
		search(now);
	modes_cut_exits();
	__atomic_store_n(&due_ticks, now + INTERVAL_TICKS, __ATOMIC_RELAXED);
	changes_end(context);
}
