/* SPDX-License-Identifier: MIT */
/*
 * Whom a thread waits for: other lanes are looked into while their threads go on, and
 * what was found is believed only if the lock was still theirs afterwards (locks.h). Runs
 * on: the thread that waits, or signals, any context.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/lane/paused.h"
#include "shim/waits/lock_list.h"

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

/* The thread is about to signal, or ends. */
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

/* A thread begins with the lane: others can find it by its id. */
void holders_begin_lane(struct lane_context *context);

/* It ends, which is a signal, of what it began with, to whoever waits for that. */
void holders_end_lane(const struct lane_context *context);
