/* SPDX-License-Identifier: MIT */
/* A lane's locks by address. Runs on: any thread, any context; of other lanes what is
 * found may change meanwhile. */
#pragma once

#include "common/libc/records.h"
#include "shim/lane/lane.h"

static inline uint32_t lock_list_hash(uintptr_t address)
{
	return (uint32_t)((address >> 3) * 0x9e3779b97f4a7c15ull >> 54);
}

_Static_assert(LANE_LOCK_HEADS == 1u << 10, "lock_list_hash() shifts by 54");

/* How many entries of a list are looked at: a handler that interrupts an insertion may
 * leave it short, damage may make it a circle. */
#define LOCK_LIST_MOST 256u

/* A lane's entry for the lock, or NULL. */
static inline struct segment_lock *lock_list_find(const struct lane_context *context,
						  uintptr_t address)
{
	const struct lane_locks *locks = &context->locks;
	uint32_t index = context->lock_heads[lock_list_hash(address)];
	uint32_t steps = LOCK_LIST_MOST;

	for (; index && steps; index = locks->all[index].hash_next, steps--)
		if (locks->all[index].address == address)
			return &locks->all[index];
	return NULL;
}
