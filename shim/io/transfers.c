/* SPDX-License-Identifier: MIT */
/*
 * A lane's transfers, found by node and target. Counters that a handler may share with
 * the code that it interrupted are changed by single instructions; one that interrupts
 * an insertion makes none itself, and what it would have booked is counted as lost.
 */
#include "shim/io/transfers.h"

#include "common/libc/records.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"

static inline void add64(uint64_t *counter, uint64_t value)
{
	__asm__ volatile("addq %1, %0" : "+m"(*counter) : "er"(value) : "cc");
}

static inline uint32_t *bucket_of(struct lane_context *context, uint32_t node,
				  uint32_t target, uint32_t is_source)
{
	uint32_t hash = node * 0x9e3779b1u + (target + is_source) * 0x85ebca6bu;

	return &context->transfer_buckets[hash >> 22];
}

_Static_assert(LANE_TRANSFER_BUCKETS == 1u << 10, "bucket_of() shifts by 22");

static inline int is_of(const struct segment_transfer *at, uint32_t node,
			const struct transfer *of)
{
	return at->node == node && at->target == of->target &&
	       at->is_source == of->is_source;
}

static struct segment_transfer *find(struct lane_context *context, uint32_t node,
				     const struct transfer *of)
{
	struct segment_transfer *all = context->transfers;
	uint32_t at = *bucket_of(context, node, of->target, of->is_source);

	for (; at; at = all[at].hash_next)
		if (is_of(&all[at], node, of))
			return &all[at];
	return NULL;
}

/* The new one, and those of a process that had the lane before. Who is left in the middle
 * of it has lost one, which is made again; none is linked twice, to itself. */
static void link_all(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct segment_transfer *all = arrays_entries(lane, &lane->transfers);
	uint32_t at = context->transfer_linked ? context->transfer_linked : 1;

	context->transfers = all;
	for (; at < lane->transfers.count; at++) {
		uint32_t *bucket = bucket_of(context, all[at].node, all[at].target,
					     all[at].is_source);

		context->transfer_linked = at + 1;
		__asm__ volatile("" : : : "memory");
		all[at].hash_next = *bucket;
		*bucket = at;
	}
}

static struct segment_transfer *add(struct lane_context *context, uint32_t node,
				    const struct transfer *of)
{
	struct segment_lane *lane = context->lane;
	struct segment_transfer *all = arrays_entries(lane, &lane->transfers);
	uint32_t number = lane->transfers.count ? lane->transfers.count : 1;

	if (process_grow(lane, context->slot, ARRAY_TRANSFERS, number + 1) < 0)
		return NULL;
	all[number].node = node;
	all[number].target = of->target;
	all[number].is_source = of->is_source;
	arrays_publish(&lane->transfers, number + 1);
	link_all(context);
	return &all[number];
}

static __attribute__((noinline)) on_short_calls struct segment_transfer *
find_or_add(struct lane_context *context, uint32_t node, const struct transfer *of)
{
	struct segment_transfer *found;

	if (!node)
		return NULL;
	found = find(context, node, of);
	if (found ||
	    !busy_take(context, BUSY_TRANSFERS, (uintptr_t)__builtin_frame_address(0)))
		return found;
	link_all(context);
	found = find(context, node, of);
	if (!found)
		found = add(context, node, of);
	busy_give(context, BUSY_TRANSFERS);
	return found;
}

on_short_calls void transfers_book(struct lane_context *context, uint32_t node,
				   const struct transfer *transfer, uint32_t *memo)
{
	uint64_t bytes = transfer->bytes > 0 ? (uint64_t)transfer->bytes : 0;
	uint32_t known = *memo;
	struct segment_transfer *at = context->transfers + known;

	if (unlikely(!known || known >= context->transfer_linked ||
		     !is_of(at, node, transfer)))
		at = find_or_add(context, node, transfer);
	if (unlikely(!at)) {
		add64(&context->lane->lost_transfer_count, 1);
		add64(&context->lane->lost_transfer_bytes, bytes);
		return;
	}
	*memo = (uint32_t)(at - context->transfers);
	add64(&at->call_count, 1);
	add64(&at->ticks, transfer->ticks);
	if (transfer->bytes <= 0) {
		add64(&at->failed_count, transfer->bytes < 0);
		return;
	}
	add64(&at->bytes, bytes);
	add64(&at->small_count, bytes < SEGMENT_TRANSFER_SMALL);
	add64(&at->sequential_count, transfer->is_sequential != 0);
	if (bytes > at->largest_bytes)
		at->largest_bytes = bytes;
}
