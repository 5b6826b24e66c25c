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
 * A lock for reading and a spin lock have no such id. A thread's own table says which of
 * them it has, and who has to wait looks into those of some others, until it finds one.
 *
 * WHO SIGNALS a condition, posts to a semaphore, comes to a barrier or ends leaves a word
 * with its lane and its node, in a table by address (of a thread its pthread_t) that all
 * threads share. Whoever was woken reads it: the last one who signalled, and with several
 * at a time not always the one who woke it.
 */
#pragma once

#include "common/libc/calls.h"
#include "shim/core/clock.h"
#include "shim/lane/lane.h"
#include "shim/lane/busy.h"
#include "shim/waits/holders.h"

/* Returns the entry, or NULL: there is none. */
struct segment_lock *locks_count_slow(uintptr_t address, enum segment_lock_kind kind);

/* The thread has taken the lock, without waiting. Returns the entry, or NULL. */
static inline struct segment_lock *locks_count(const volatile void *lock,
					       enum segment_lock_kind kind)
{
	struct lane_context *context = lane_self;
	uint32_t index = context->lock_heads[lock_list_hash((uintptr_t)lock)];
	struct segment_lock *entry = &context->locks.all[index];

	if (unlikely(!index || entry->address != (uintptr_t)lock || paused_is_on()))
		return locks_count_slow((uintptr_t)lock, kind);
	/* one instruction: a handler may count, too */
	__asm__ volatile("addq $1, %0" : "+m"(entry->lock_count) : : "cc");
	entry->taken_node = context->current;
	return entry;
}

/* The thread has taken this lock of its table, which does not say whose it is. */
static inline void locks_share(struct segment_lock *entry)
{
	uint32_t tid = (uint32_t)lane_self->tid;

	if (unlikely(!entry))
		return;
	entry->share_count = entry->sharer_tid == tid ? entry->share_count + 1 : 1;
	entry->sharer_tid = tid;
}

/* It is about to give such a lock up. */
static inline void locks_unshare(const volatile void *lock)
{
	const struct lane_context *context = lane_self;
	struct segment_lock *entry = lock_list_find(context, (uintptr_t)lock);

	if (entry && entry->share_count && entry->sharer_tid == (uint32_t)context->tid)
		entry->share_count--;
}

/* The thread is about to signal. */
static inline void locks_signal(const volatile void *condition)
{
	const struct lane_context *context = lane_own();

	if (context)
		holders_signal(context, (uintptr_t)condition, context->current);
}

/* A wait for a lock. */
struct locks_wait {
	uint32_t lock; /* in the lane's locks, 0: it is not recorded */
	uint32_t slot; /* of the lane: a handler may have left it */
	uint64_t start_ticks;
	uint32_t node;
	struct holder holder;
};

/* Begins; owner: the word that has the holder's id, or NULL. */
void locks_begin_wait(struct locks_wait *wait, const volatile void *lock,
		      enum segment_lock_kind kind, const int *owner);

/* The same of one for the end of a thread. */
void locks_begin_join(struct locks_wait *wait);
void locks_end_join(struct locks_wait *wait, uintptr_t thread, int has_ended);

/* The same of one for a signal of the kernel's. signal: its number, or SENDERS_ANY; less
 * than that, none has come. */
void locks_begin_signal_wait(struct locks_wait *wait);
void locks_end_signal_wait(struct locks_wait *wait, int signal);

/* The wait is over; has_it: and the thread has the lock, or was woken. */
void locks_end_wait(struct locks_wait *wait, int has_it);

void locks_end_hold(uintptr_t address);

/* The thread is about to give the lock up. */
static inline void locks_release(const volatile void *lock)
{
	if (unlikely(lane_self->locks.held_count))
		locks_end_hold((uintptr_t)lock);
}

/* A thread begins with the lane, or ends: others can find it. */
void locks_begin_lane(struct lane_context *context);
void locks_end_lane(const struct lane_context *context);
