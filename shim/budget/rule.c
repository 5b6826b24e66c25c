/* SPDX-License-Identifier: MIT */
/* The limit, and who is beyond it. */
#include "shim/budget/rule.h"

#include "shim/core/process.h"
#include "shim/lane/allocators.h"

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

int rule_may_take(const struct lane_context *context, uint64_t function)
{
	enum allocator most = context->budget.step >= RULE_LAST_STEP ? ALLOCATOR_DIRECT
								     : ALLOCATOR_NONE;

	return allocators_kind(function) <= most && !segment_key_is_region(function);
}

int rule_is_recursive(const struct lane_context *context, uint64_t function)
{
	const struct segment_frame *frame = context->top;

	for (int i = 0; i < RECURSIVE_FRAMES && frame > context->frames; i++)
		if ((--frame)->function == function)
			return 1;
	return 0;
}
