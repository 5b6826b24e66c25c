/* SPDX-License-Identifier: MIT */
/* Begin and end of calls of libc: that they are short is what counts. */
#include "shim/wrap/libc_call.h"

#include "shim/core/clock.h"
#include "shim/lane/busy.h"
#include "shim/events/context.h"
#include "shim/events/frame_hooks.h"
#include "shim/waits/off_cpu.h"
#include "shim/waits/holders.h"

int libc_call_is_wanted asked_on_short_calls;

static cold int open_slow(uint64_t key, uintptr_t stack)
{
	const struct lane_context *context = lane_self;

	if (!process_is_ready() ||
	    (context && (context->own_work || context->is_vforking)))
		return 0;
	calls_begin_region(key, stack);
	return 1;
}

static inline uint64_t key_of(enum libc_call call)
{
	return SEGMENT_KEY_LIBC | (uint64_t)call;
}

on_short_calls int libc_call_open(enum libc_call call, uintptr_t stack)
{
	struct lane_context *context = lane_self;
	uint64_t key = key_of(call);

	/* on its own stack a thread has a lane only while the process is recorded */
	if (unlikely(!context_is_settled(context, stack) || context->own_work ||
		     context->is_vforking || !frame_begin_region(context, key, stack)))
		return open_slow(key, stack);
	return 1;
}

/* Only here has a switch or a sample been found out about. */
static cold uint32_t close_slow(enum libc_call call, uintptr_t stack, uint64_t *ret_ticks)
{
	struct lane_context *context = lane_self;
	uint64_t key = key_of(call), before = 0, blocked_ns;
	uint32_t node = 0;

	*ret_ticks = 0;
	if (!lane_is_live(context) || paused_is_on()) {
		calls_end_region(key, stack);
		return LIBC_CALL_UNRECORDED;
	}
	if (context->top > context->frames && context->top[-1].function == key)
		node = context->top[-1].node;
	if (node)
		before = context->nodes[node].total_ticks;
	blocked_ns = context->off_cpu.blocked_ns;
	calls_end_region(key, stack);
	if (node)
		*ret_ticks = context->nodes[node].total_ticks - before;
	blocked_ns = context->off_cpu.blocked_ns - blocked_ns;
	if (blocked_ns) {
		uint64_t since = clock_now();

		stalls_add_nap(context, node, call, *ret_ticks, blocked_ns);
		off_cpu_leave_out(context, since);
	}
	return node;
}

on_short_calls uint32_t libc_call_close(enum libc_call call, uintptr_t stack,
					uint64_t *ret_ticks)
{
	struct lane_context *context = lane_self;
	uint64_t now = frame_clock_behind(context);
	struct segment_frame *frame = frame_of_region(context, key_of(call), stack);
	uint32_t node;

	if (unlikely(!frame || switches_has_been(context) | samples_wait(context)))
		return close_slow(call, stack, ret_ticks);
	node = frame->node;
	*ret_ticks = frame_pop(context, frame, node, now - context->clock_offset);
	return node;
}
