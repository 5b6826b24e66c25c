/* SPDX-License-Identifier: MIT */
/*
 * The notes of interrupting handlers. Runs on: the lane's thread, see deferred.h.
 *
 * A handler may be interrupted by another one: each takes a place with one instruction
 * and has filled it before it returns to whoever books.
 */
#include "shim/memory/deferred.h"

#include <errno.h>

#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/memory/site.h"

void deferred_reserve(struct lane_context *context)
{
	if (!context->deferred)
		context->deferred =
			process_map(LANE_DEFERRED * sizeof(struct deferred), 1);
}

int deferred_add(struct lane_context *context, const struct deferred *note)
{
	uint32_t one = 1;

	deferred_reserve(context);
	if (!context->deferred || context->deferred_count >= LANE_DEFERRED - 8)
		return -ENOSPC; /* 8: handlers that interrupt each other just here */
	__asm__ volatile("xaddl %0, %1"
			 : "+r"(one), "+m"(context->deferred_count)
			 :
			 : "memory", "cc");
	context->deferred[one] = *note;
	return 0;
}

static void book(struct lane_context *context, const struct deferred *note)
{
	switch (note->kind) {
	case DEFERRED_ALLOCATED:
		site_allocated(note->block.site, note->block.size_bytes);
		break;
	case DEFERRED_REALLOCATED:
		site_reallocated(note->block.site, note->block.size_bytes,
				 note->old_bytes, note->copied_bytes);
		break;
	case DEFERRED_RELEASED:
		site_released(&note->block, context->slot, note->is_temporary);
		break;
	case DEFERRED_RESTORED:
		site_restored(&note->block);
		break;
	}
}

/* Who is left in the middle goes on behind what was booked. */
void cold deferred_book(struct lane_context *context)
{
	while (context->deferred_count) {
		uint32_t count, done;

		context->busy[BUSY_BOOKS] = (uintptr_t)__builtin_frame_address(0);
		for (;;) {
			count = __atomic_load_n(&context->deferred_count,
						__ATOMIC_RELAXED);
			for (; context->deferred_done < count; context->deferred_done++)
				book(context, &context->deferred[context->deferred_done]);
			done = context->deferred_done;
			context->deferred_done = 0;
			/* a handler that adds after the load makes the exchange fail */
			if (__atomic_compare_exchange_n(&context->deferred_count, &count,
							0, 0, __ATOMIC_RELAXED,
							__ATOMIC_RELAXED))
				break;
			context->deferred_done = done;
		}
		busy_give(context, BUSY_BOOKS);
		__asm__ volatile("" : : : "memory");
	}
}
