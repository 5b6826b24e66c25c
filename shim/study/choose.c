/* SPDX-License-Identifier: MIT */
/* Tails in histograms. */
#include "shim/study/choose.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/tree.h"
#include "shim/lane/trigger.h"
#include "shim/patch/modes.h"

#define FUNCTIONS_AT_ONCE 64u
#define LOOK_TICKS (clock_tenth_of_second() >> 2)
#define LEAST_TICKS (clock_tenth_of_second() >> 1) /* of a thread, before */
#define CALL_TICKS (clock_tenth_of_second() >> 14) /* 6 us */
#define SLOW_BUCKETS (3u * 8)			   /* 8 times as long */
#define SLOW_PART 20u

static int is_finding;
static uint32_t found_count; /* atomic */

void choose_begin(void)
{
	is_finding = 1;
}

static uint64_t count_calls(const struct segment_function *function)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		sum += function->histogram[i];
	return sum;
}

/* The ticks of calls that took 8 times as long as half of them do. */
static uint64_t slow_ticks(const struct segment_function *function, uint64_t calls)
{
	uint64_t seen = 0, ticks = 0;
	uint32_t i = 0;

	while (i < SEGMENT_HISTOGRAM_BUCKETS && seen * 2 < calls)
		seen += function->histogram[i++];
	for (i += SLOW_BUCKETS; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		ticks += function->histogram[i] * segment_histogram_lower(i);
	return ticks;
}

static uint64_t ready_ticks(const struct lane_context *context)
{
	uint64_t ready_ns = context->off_cpu.ready_ns - context->study.begin_ready_ns;

	return (uint64_t)((double)ready_ns * process_facts.run->ticks_per_second / 1e9);
}

static int has_tail(const struct lane_context *context,
		    const struct segment_function *function, uint64_t now)
{
	uint64_t life = now - context->study.begin_ticks;
	uint64_t calls = count_calls(function);

	if (calls < CHOOSE_CALLS || calls > life / CALL_TICKS ||
	    slow_ticks(function, calls) < life / SLOW_PART + ready_ticks(context))
		return 0;
	/* One that was ever only counted has stubs at its exits, which do not come to the
	 * slow path of a call with triggers, even when it is timed again. */
	return !modes_find(function->key);
}

static void study(uint64_t function)
{
	uint64_t mask;

	if (trigger_find(function) ||
	    __atomic_add_fetch(&found_count, 1, __ATOMIC_RELAXED) > CHOOSE_MOST ||
	    !process_lock(&mask))
		return;
	trigger_add(&(struct trigger){.function = function, .actions = TRIGGER_FOUND});
	process_unlock(&mask);
}

/* Names of code alone: whose exits come to the hook. */
static int is_code(uint64_t key)
{
	return key && !(key & ~SEGMENT_KEY_ADDRESS_MASK) && !(key & SEGMENT_KEY_REGION);
}

static void find(struct lane_context *context, uint64_t now)
{
	struct lane_study *study_state = &context->study;
	uint32_t count = context->lane->functions.count;

	for (uint32_t i = 0; i < FUNCTIONS_AT_ONCE && i < count; i++) {
		const struct segment_function *function;

		if (study_state->function_at >= count)
			study_state->function_at = 1;
		function = &context->functions[study_state->function_at++];
		if (is_code(function->key) && has_tail(context, function, now))
			study(function->key);
	}
}

/* The next calls of functions that have become studied come to the slow path. */
static void forget_fronts(struct lane_context *context)
{
	context->study.trigger_count = trigger_count;
	for (uint32_t i = 0; i < LANE_FRONT_COUNT; i++) {
		uint32_t node = context->front[i];

		if (node && trigger_find(context->nodes[node].key))
			context->front[i] = 0;
	}
}

void cold choose_look(struct lane_context *context, uint64_t now)
{
	struct lane_study *state = &context->study;

	if (!state->begin_ticks) {
		state->begin_ticks = now;
		state->begin_ready_ns = context->off_cpu.ready_ns;
		state->next_look_ticks = now + LEAST_TICKS;
	}
	if (state->trigger_count != trigger_count)
		forget_fronts(context);
	if (!is_finding || now < state->next_look_ticks ||
	    __atomic_load_n(&found_count, __ATOMIC_RELAXED) >= CHOOSE_MOST)
		return;
	find(context, now);
	state->next_look_ticks = now + LOOK_TICKS;
}
