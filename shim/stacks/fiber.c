/* SPDX-License-Identifier: MIT */
/*
 * Switching a lane's shadow stack when its thread is on another stack. Runs on: the
 * lane's thread, any context; slow paths only, signals blocked.
 *
 * SYNCHRONISATION. A lane's fibers are added and dropped under the process lock; the
 * owner looks them up without it, other threads only with it. A fiber that has moved to
 * another thread is taken over by storing the new owner in it; the old owner finds that
 * out when it meets the fiber again.
 */
#include "shim/stacks/fiber.h"

#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/frames.h"
#include "shim/lane/busy.h"
#include "shim/lane/spans.h"
#include "shim/stacks/bounds.h"
#include "shim/stacks/fiber_table.h"

static void use_range(struct lane_context *context, uintptr_t low, uintptr_t high)
{
	context->stack_low = low;
	/* before it is asked whether there is a pause: see events/pause.c */
	__atomic_exchange_n(&context->stack_size, high - low, __ATOMIC_SEQ_CST);
	if (paused_is_on())
		paused_mark(context);
}

static void leave(struct lane_context *context, struct fiber *fiber, uint64_t now)
{
	/* acquire: pairs with the release of the thread that took the fiber over */
	if (__atomic_load_n(&fiber->owner, __ATOMIC_ACQUIRE) != context)
		return;
	fiber->top = context->top;
	fiber->current = context->current;
	fiber->clock->left_ticks = now;
	spans_leave_stack(context, fiber);
}

static void resume(struct lane_context *context, struct fiber *fiber, uint64_t now)
{
	struct fiber_clock *clock = fiber->clock;

	if (!clock->left_ticks)
		spans_begin_stack(context, fiber);
	else
		spans_resume_stack(context, fiber);
	if (clock->left_ticks && (int64_t)(now - clock->left_ticks) > 0)
		clock->suspended_ticks += now - clock->left_ticks;
	clock->left_ticks = 0;
	/* release: whoever takes over the fiber left behind sees its top in it */
	__atomic_store_n(&context->fiber, fiber, __ATOMIC_RELEASE);
	context->frames = fiber->frames;
	context->limit = fiber->limit;
	context->depth = fiber->depth;
	context->clock_offset = clock->suspended_ticks;
	context->current = fiber->current;
	context->top = fiber->top;
}

void fiber_begin(struct lane_context *context)
{
	struct fiber *native = &context->native;
	uint64_t now = paused_clock();

	if (context->fiber && context->fiber != native)
		leave(context, context->fiber, now);
	native->low = native->high = 0;
	native->owner = context;
	native->top = native->frames;
	native->current = LANE_ROOT;
	native->clock->left_ticks = 0;
	native->clock->suspended_ticks = 0;
	resume(context, native, now);
	use_range(context, 0, 0); /* the first hook settles it */
}

void fiber_end(struct lane_context *context)
{
	struct fiber *native = &context->native;
	uint64_t now = paused_clock();

	if (context->fiber != native) {
		leave(context, context->fiber, now);
		resume(context, native, now);
	}
	unwind_to(context, context->frames, now - context->clock_offset);
	__atomic_store_n(context->depth, 0, __ATOMIC_RELAXED); /* snapshots read it */
}

static void use_range_of(struct lane_context *context, const struct fiber *fiber,
			 uintptr_t address)
{
	struct extent range = {fiber->low, fiber->high};

	if (context->has_guests && fiber == &context->native)
		bounds_clip(address, &range);
	use_range(context, range.low, range.high);
}

static void settle(struct lane_context *context, uintptr_t address, int is_jump)
{
	struct fiber *fiber = fiber_find(context, address, is_jump);
	struct fiber *now_on = context->fiber;
	struct extent signal_stack;

	if (!fiber && bounds_signal_stack(address, &signal_stack)) {
		use_range(context, signal_stack.low, signal_stack.high);
		return;
	}
	if (!fiber)
		fiber = fiber_discover(context, address);
	if (!fiber) { /* no way to tell: one stack for all */
		use_range(context, 0, UINTPTR_MAX);
		return;
	}
	if (fiber != now_on) {
		uint64_t now = paused_clock();

		leave(context, now_on, now);
		resume(context, fiber, now);
		fiber_drop_invalid(context, now_on);
	}
	use_range_of(context, fiber, address);
}

static void settle_undisturbed(struct lane_context *context, uintptr_t stack_pointer,
			       int is_jump)
{
	uint64_t mask;

	if (!gate_block_signals(&mask)) { /* nobody may be asked: one stack for all */
		use_range(context, 0, UINTPTR_MAX);
		return;
	}
	settle(context, stack_pointer - 1, is_jump);
	gate_restore_signals(&mask);
}

void cold fiber_settle(struct lane_context *context, uintptr_t stack_pointer)
{
	settle_undisturbed(context, stack_pointer, 0);
}

void cold fiber_jump(struct lane_context *context, uintptr_t stack_pointer)
{
	settle_undisturbed(context, stack_pointer, 1);
}

void fiber_declare(uintptr_t low, uintptr_t high)
{
	struct lane_context *context = lane_own();
	uint64_t mask;

	if (!process_is_ready() || low >= high || !gate_is_open() || !process_lock(&mask))
		return;
	bounds_declare(low, high);
	if (context) {
		const struct fiber *native = &context->native;

		fiber_forget(context, low, high);
		if (!native->high || (low < native->high && native->low < high)) {
			context->has_guests = 1;
			use_range(context, 0, 0); /* the next hook settles it */
		}
	}
	process_unlock(&mask);
}
