/* SPDX-License-Identifier: MIT */
/* A thread's lane, and what is left out of the time of its calls. */
#include "shim/lane/lane.h"

#include "shim/core/process.h"

struct lane_context lane_absent, lane_none;
__thread struct lane_context *lane_self = &lane_absent;
__thread uint32_t lane_left_slot;

cold uint64_t lane_busy_ticks(const struct lane_context *context, uint64_t now)
{
	const struct lane_off_cpu *off = &context->off_cpu;

	return now - process_ticks_of(off->ready_ns + off->blocked_ns);
}

cold uint64_t lane_leave_out(struct lane_context *context, uint64_t since, uint64_t now)
{
	uint64_t ticks = now - since;

	if ((int64_t)ticks <= 0)
		return 0;
	/* a reader has the one or the other; a handler in between has its own frames */
	context->lane->left_out_ticks += ticks;
	context->fiber->clock->suspended_ticks += ticks;
	context->clock_offset = context->fiber->clock->suspended_ticks;
	return ticks;
}

uint64_t lane_timed_calls(const struct segment_function *function)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		calls += function->histogram[i];
	return calls;
}

uint32_t lane_median_bucket(const struct segment_function *function, uint64_t calls)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++) {
		seen += function->histogram[i];
		if (seen * 2 >= calls)
			return i;
	}
	return SEGMENT_HISTOGRAM_BUCKETS - 1;
}
