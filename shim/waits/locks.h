/* SPDX-License-Identifier: MIT */
/*
 * What a thread has done with each lock, and whom it waited for. Runs on: the lane's
 * thread, any context. Must not lock, call libc, or cost what is noticed where nothing is
 * waited for: a lane has a table of its own, and nothing in it is shared.
 *
 * THE HOLDER. A mutex has the id of the thread that holds it. That thread's lane is found
 * by a table of lanes by id; where the thread is just now is its lane's current node, and
 * where it took the lock says its own table. All of it is read while the other thread
 * goes on, so at the end it is asked again whether the lane and the lock still are that
 * thread's: then the two paths are ones that it had while it held the lock.
 *
 * WHO SIGNALS a condition or posts to a semaphore leaves a word with its lane and its
 * node, in a table by address that all threads share. Whoever was woken reads it: the
 * last one who signalled, and with several at a time not always the one who woke it.
 */
#pragma once

#include "common/libc/records.h"
#include "shim/core/clock.h"
#include "shim/lane/lane.h"
#include "shim/lane/paused.h"

static inline uint32_t locks_hash(uintptr_t address)
{
	return (uint32_t)((address >> 3) * 0x9e3779b97f4a7c15ull >> 54);
}

_Static_assert(LANE_LOCK_HEADS == 1u << 10, "locks_hash() shifts by 54");

void locks_count_slow(uintptr_t address, enum segment_lock_kind kind);

/* The thread has taken the lock, without waiting. */
static inline void locks_count(const volatile void *lock, enum segment_lock_kind kind)
{
	struct lane_context *context = lane_self;
	uint32_t index = context->locks.heads[locks_hash((uintptr_t)lock)];
	struct segment_lock *entry = &context->locks.all[index];

	if (unlikely(!index || entry->address != (uintptr_t)lock || paused_is_on())) {
		locks_count_slow((uintptr_t)lock, kind);
		return;
	}
	/* one instruction: a handler may count, too */
	__asm__ volatile("addq $1, %0" : "+m"(entry->lock_count) : : "cc");
	entry->taken_node = context->current;
}

#define LOCKS_NODE_BITS 21
#define LOCKS_SLOT_BITS 14
#define LOCKS_TAG_SHIFT (LOCKS_NODE_BITS + LOCKS_SLOT_BITS)

_Static_assert(SEGMENT_SLOT_LIMIT <= 1u << LOCKS_SLOT_BITS, "a slot has its bits");

/* By locks_hash(): a part of the address, the slot, the node. */
extern hidden uint64_t locks_signals[LANE_LOCK_HEADS];

/* What the word of this condition begins with. */
static inline uint64_t locks_tag(uintptr_t address)
{
	return (uint64_t)(address >> 3) << LOCKS_TAG_SHIFT;
}

/* The thread is about to signal. */
static inline void locks_signal(const volatile void *condition)
{
	const struct lane_context *context = lane_own();
	uintptr_t address = (uintptr_t)condition;

	if (!context || context->current >> LOCKS_NODE_BITS || paused_is_on())
		return;
	__atomic_store_n(&locks_signals[locks_hash(address)],
			 locks_tag(address) | (uint64_t)context->slot << LOCKS_NODE_BITS |
				 context->current,
			 __ATOMIC_RELAXED);
}

/* A wait for a lock. */
struct locks_wait {
	uint32_t lock; /* in the lane's locks, 0: it is not recorded */
	uint32_t slot; /* of the lane: a handler may have left it */
	uint64_t start_ticks;
	uint32_t node;
	uint32_t holder_slot, holder_node, taken_node;
};

/* Begins; owner: the word that has the holder's id, or NULL; mask: of its bits. */
void locks_begin_wait(struct locks_wait *wait, const volatile void *lock,
		      enum segment_lock_kind kind, const int *owner);

/* The wait is over; has_it: and the thread has the lock, or was woken. */
void locks_end_wait(struct locks_wait *wait, int has_it);

void locks_end_hold(uintptr_t address);

/* The thread is about to give the lock up. */
static inline void locks_release(const volatile void *lock)
{
	if (unlikely(lane_self->locks.held_count))
		locks_end_hold((uintptr_t)lock);
}

/* A thread begins with the lane: others can find it by its id. */
void locks_begin_lane(struct lane_context *context);
