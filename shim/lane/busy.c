/* SPDX-License-Identifier: MIT */
/* Hooks that were left in the middle. */
#include "shim/lane/busy.h"

#include "shim/lane/paused.h"
#include "shim/lane/upcalls.h"

static void put_in_order(struct lane_context *context, uint32_t part)
{
	context->busy[part] = 0;
	upcalls.put_in_order(context, part);
}

/* A hook's address may be the stack pointer of its caller before the call. */
cold void busy_leave(struct lane_context *context, uintptr_t stack)
{
	for (uint32_t part = 0; part < LANE_PARTS; part++) {
		uintptr_t at = context->busy[part];

		if (at && at <= stack && paused_holds(context, at))
			put_in_order(context, part);
	}
}

cold void busy_leave_all(struct lane_context *context)
{
	for (uint32_t part = 0; part < LANE_PARTS; part++)
		if (context->busy[part])
			put_in_order(context, part);
}

cold int busy_take_left(struct lane_context *context, enum lane_part part,
			uintptr_t stack)
{
	if (paused_holds(context, stack))
		busy_leave(context, stack);
	return !context->busy[part];
}
