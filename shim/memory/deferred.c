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

void cold deferred_book(struct lane_context *context)
{
	while (context->deferred_count) {
		uint32_t count, done = 0;

		context->alloc_busy = (uintptr_t)__builtin_frame_address(0);
		do {
			count = __atomic_load_n(&context->deferred_count,
						__ATOMIC_RELAXED);
			for (; done < count; done++)
				book(context, &context->deferred[done]);
			/* a handler that adds after the load makes the exchange fail */
		} while (!__atomic_compare_exchange_n(&context->deferred_count, &count, 0,
						      0, __ATOMIC_RELAXED,
						      __ATOMIC_RELAXED));
		context->alloc_busy = 0;
		__asm__ volatile("" : : : "memory");
	}
}
