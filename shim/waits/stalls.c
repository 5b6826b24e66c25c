/* SPDX-License-Identifier: MIT */
/* The lists of waits for other threads, and of sleeps. */
#include "shim/waits/stalls.h"

#include "common/libc/records.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/waits/holders.h"

/* One of every 2^thinning windows is kept by who adds from now on. A forked child begins
 * where its parent was. */
static uint32_t thinning;

/* Who is about to write may have to wait for a CPU first, its word left. */
#define SENT_BEFORE_TICKS clock_tenth_of_second()

static struct segment_stall *all_of(const struct lane_context *context)
{
	return arrays_entries(context->lane, &context->lane->stalls);
}

/* Drops what is not in the windows that are left. */
static void thin(struct lane_context *context, uint32_t to)
{
	struct segment_lane *lane = context->lane;
	struct segment_stall *all = all_of(context);
	uint32_t count = arrays_count(&lane->stalls), kept = 1;

	__atomic_store_n(&lane->stall_thinning, to, __ATOMIC_RELAXED);
	context->has_nap = 0; /* its number is another one's */
	for (uint32_t i = 1; i < count; i++)
		if (segment_stall_is_kept(&all[i], to))
			all[kept++] = all[i];
	arrays_publish(&lane->stalls, kept);
}

/* Of all threads: at least as thin as one of them needs. */
static uint32_t raise_thinning(uint32_t from)
{
	uint32_t now = from + 1;

	if (!__atomic_compare_exchange_n(&thinning, &from, now, 0, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		now = from;
	return now;
}

/* The number of a new entry, which has its page; 0: there is no room. */
static uint32_t make_room(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct segment_array *array = &lane->stalls;
	uint32_t to = __atomic_load_n(&thinning, __ATOMIC_RELAXED), number;

	if (lane->stall_thinning < to)
		thin(context, to);
	if (array->count >= array->capacity)
		while (array->count > array->capacity / 2 &&
		       to < SEGMENT_STALL_THINNING_MOST)
			thin(context, to = raise_thinning(to));
	number = array->count ? array->count : 1;
	if (process_grow(lane, context->slot, ARRAY_STALLS, number + 1) < 0)
		return 0;
	return number < array->committed ? number : 0;
}

static int append(struct lane_context *context, const struct segment_stall *stall)
{
	uint32_t number = make_room(context);

	if (!number)
		return -1;
	if (!segment_stall_is_kept(stall, context->lane->stall_thinning))
		return 0;
	all_of(context)[number] = *stall;
	arrays_publish(&context->lane->stalls, number + 1);
	return 0;
}

void stalls_add(struct lane_context *context, const struct segment_stall *stall)
{
	int result = -1;

	if (busy_take(context, BUSY_STALLS, (uintptr_t)__builtin_frame_address(0))) {
		result = append(context, stall);
		busy_give(context, BUSY_STALLS);
	}
	if (result < 0)
		context->lane->lost_stall_count++;
}

static int is_sleep(enum libc_call call)
{
	return call == LIBC_CALL_nanosleep || call == LIBC_CALL_clock_nanosleep ||
	       call == LIBC_CALL_usleep || call == LIBC_CALL_sleep ||
	       call == LIBC_CALL_thrd_sleep;
}

cold void stalls_add_nap(struct lane_context *context, uint32_t node, enum libc_call call,
			 uint64_t ticks, uint64_t blocked_ns)
{
	uint64_t now = clock_now(), slept = process_ticks_of(blocked_ns);

	context->has_nap = 0;
	if (!node || paused_is_on())
		return;
	context->nap = (struct segment_stall){
		.begin_ticks = now - (slept < ticks ? slept : ticks),
		.end_ticks = now,
		.kind = is_sleep(call) ? SEGMENT_LOCK_SLEEP : SEGMENT_LOCK_CALL,
		.node = node,
	};
	context->nap_number = 0;
	if (blocked_ns >= SEGMENT_NAP_NS) {
		uint32_t count = arrays_count(&context->lane->stalls);

		stalls_add(context, &context->nap);
		if (arrays_count(&context->lane->stalls) > count)
			context->nap_number = arrays_count(&context->lane->stalls) - 1;
	}
	context->has_nap = !is_sleep(call);
}

cold void stalls_settle_nap(struct lane_context *context, uintptr_t key)
{
	struct segment_stall *nap = &context->nap;
	struct holder sender = {.slot = 0};

	context->has_nap = 0;
	senders_find(&sender, &key, 1, nap->begin_ticks - SENT_BEFORE_TICKS,
		     nap->end_ticks);
	if (!sender.slot)
		return;
	nap->holder_slot = sender.slot;
	nap->holder_node = sender.node;
	if (!context->nap_number)
		stalls_add(context, nap);
	else if (!context->busy[BUSY_STALLS])
		all_of(context)[context->nap_number] = *nap;
}
