/* SPDX-License-Identifier: MIT */
/* Whom a thread waits for: who holds a lock, who has signalled, who has sent. Runs on:
 * the thread that waits, signals or sends, any context; of other lanes what is found may
 * change meanwhile. Must not lock or call libc. */
#pragma once

#include <stdint.h>

#include "common/libc/calls.h"
#include "shim/lane/busy.h"
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

/*
 * Whom a thread waits for: other lanes are looked into while their threads go on, and
 * what was found is believed only if the lock was still theirs afterwards (locks.h). Runs
 * on: the thread that waits, or signals, any context.
 */

/* All zero: not known. */
struct holder {
	uint32_t slot; /* of the lane */
	uint32_t node; /* where that was */
	uint32_t taken_node;
};

#define HOLDERS_NODE_BITS 21
#define HOLDERS_SLOT_BITS 14
#define HOLDERS_TAG_SHIFT (HOLDERS_NODE_BITS + HOLDERS_SLOT_BITS)

_Static_assert(SEGMENT_SLOT_LIMIT <= 1u << HOLDERS_SLOT_BITS, "a slot has its bits");

/* By lock_list_hash(): a part of the address, the slot, the node. */
extern hidden uint64_t holders_signals[LANE_LOCK_HEADS];

/* What the word of this condition begins with. */
static inline uint64_t holders_tag(uintptr_t address)
{
	return (uint64_t)(address >> 3) << HOLDERS_TAG_SHIFT;
}

/* The word of a lane on this node; 0: the node's number is too high. */
static inline uint64_t holders_word(const struct lane_context *context, uintptr_t address,
				    uint32_t node)
{
	return node >> HOLDERS_NODE_BITS
		       ? 0
		       : holders_tag(address) |
				 (uint64_t)context->slot << HOLDERS_NODE_BITS | node;
}

/* Or is it another one's, that came in between? */
static inline int holders_is_word_of(uint64_t word, uintptr_t address)
{
	return word &&
	       word >> HOLDERS_TAG_SHIFT == holders_tag(address) >> HOLDERS_TAG_SHIFT;
}

static inline void holders_take_word(struct holder *ret, uint64_t word)
{
	ret->slot =
		(uint32_t)(word >> HOLDERS_NODE_BITS) & ((1u << HOLDERS_SLOT_BITS) - 1);
	ret->node = (uint32_t)word & ((1u << HOLDERS_NODE_BITS) - 1);
}

/* The thread is about to signal. */
static inline void holders_signal(const struct lane_context *context, uintptr_t address,
				  uint32_t node)
{
	uint64_t word = holders_word(context, address, node);

	if (word && !paused_is_on())
		__atomic_store_n(&holders_signals[lock_list_hash(address)], word,
				 __ATOMIC_RELAXED);
}

/* Fill in the holder, or do nothing. owner: the word that has the id of the thread that
 * holds the lock. */
void holders_find_owner(struct holder *ret, uintptr_t address, const int *owner);

/* One of those that have a lock that does not say whose it is. */
void holders_find_sharer(struct holder *ret, uintptr_t address);

/* Who signalled last. */
void holders_find_signaller(struct holder *ret, uintptr_t address);

/* Who was this thread, by its pthread_t. */
void holders_find_ended(struct holder *ret, uintptr_t thread);

/* A thread begins with the lane: others can find it by its id. */
void holders_begin_lane(struct lane_context *context);

/* It ends: for whoever waits for that, with what it began with. */
void holders_end_lane(const struct lane_context *context);

/*
 * Who has sent what another thread may wait for, and when: signals of the kernel's, what
 * goes through pipes. Runs on: any thread, any context; kill() is called in handlers.
 * Must not lock or call libc.
 *
 * Whoever sends leaves its lane, its node and the time in a table that all threads share,
 * by a key, before it sends: who is woken by it may look before the call returns. What
 * was left before a wait began has not ended it, so that the key may mean little: what
 * the kernel, a timer or another process has sent, nobody has left there.
 */

/* A signal of any number. */
#define SENDERS_ANY 0

/* What was sent to the process, of this number: no object lies at so low an address. */
static inline uintptr_t senders_key_of_process(int signal)
{
	return (uintptr_t)(uint32_t)(signal + 1) << 3;
}

/* To one thread, by its pthread_t, which begins an object larger than that. */
static inline uintptr_t senders_key_of_thread(uintptr_t thread, int signal)
{
	return thread + senders_key_of_process(signal);
}

/* To one thread, by its id: above all addresses. */
static inline uintptr_t senders_key_of_tid(int32_t tid, int signal)
{
	return 1ul << 63 | (uintptr_t)(uint32_t)tid << 10 |
	       senders_key_of_process(signal);
}

/* What is written, by a descriptor's channel. */
static inline uintptr_t senders_key_of_channel(uint32_t channel)
{
	return 1ul << 62 | (uintptr_t)channel << 3;
}

/* Two words, which two threads may mix up: then a wait has a sender that sent at the
 * same time. */
struct sender {
	uint64_t word; /* as in holders_signals */
	uint64_t ticks;
};

extern hidden struct sender senders[LANE_LOCK_HEADS];

/* The thread of the lane sends from this node at this time, and is recorded. */
static inline void senders_put(const struct lane_context *context, uint32_t node,
			       uintptr_t key, uint64_t ticks)
{
	struct sender *sender = &senders[lock_list_hash(key)];
	uint64_t word = holders_word(context, key, node);

	if (unlikely(!word))
		return;
	__atomic_store_n(&sender->ticks, ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&sender->word, word, __ATOMIC_RELAXED);
}

/* About to send a signal: to the process, to a thread by its pthread_t, or its id. */
void senders_note_process(int signal);
void senders_note_thread(uintptr_t thread, int signal);
void senders_note_tid(int32_t tid, int signal);

/* The latest who has sent this signal to the calling thread or to its process. */
void senders_find_signal(struct holder *ret, int signal, uint64_t since_ticks);

/*
 * Each wait for another thread, and each long sleep, with its time: what happened in the
 * run one after the other because somebody had to be waited for (segment_stall). Runs on:
 * the lane's thread, any context, behind a wait. Must not lock or call libc.
 *
 * There is room for so many of a lane. When it is full, all lanes from then on keep only
 * those that touch one of every two windows of time, then of four, and so on; a lane
 * drops of its older ones what it would not have kept, so that its list is as if it had
 * been thinned from the start. All lanes have the same windows: what is kept fits
 * together.
 */

/* A call of libc of this node has ended just now, and was that long. It is kept when it
 * slept for SEGMENT_NAP_NS, and remembered until the next one. */
void stalls_add_nap(struct lane_context *context, uint32_t node, enum libc_call call,
		    uint64_t ticks, uint64_t blocked_ns);

/* The thread has got what was sent by this key (senders_put()): when that was while it
 * napped, it was what it waited for, however short. */
void stalls_settle_nap(struct lane_context *context, uintptr_t key);

/* A wait of the lane is over. */
void stalls_add(struct lane_context *context, const struct segment_stall *stall);
