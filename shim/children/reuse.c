/* SPDX-License-Identifier: MIT */
/*
 * Offering slots, taking them over, and bringing the numbers of the process before to an
 * end. Must not call libc; believe a number in the file or the slots beyond their size: a
 * list that somebody has damaged ends.
 */
#include "shim/children/slots.h"

#include <errno.h>
#include <stdint.h>

#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/lane/lane.h"
#include "shim/patch/modes.h"

/*
 * The file's list of slots that may be had (common/segment.h, SLOTS ARE USED AGAIN). Runs
 * on: traced threads, any context; several processes at once.
 */

static uint32_t *pool_of(uint32_t slot)
{
	return &process_facts.file->slots[slot].pool;
}

/* Its owner has left the slot. */
static void offered_push(uint32_t slot)
{
	uint64_t *head = &process_facts.file->offered, old, new;
	uint32_t flags = SEGMENT_POOL_LISTED | SEGMENT_POOL_OFFERED, word;

	/* release: who takes the slot sees what its owner did */
	if (__atomic_fetch_or(pool_of(slot), flags, __ATOMIC_ACQ_REL) &
	    SEGMENT_POOL_LISTED)
		return;
	old = __atomic_load_n(head, __ATOMIC_RELAXED);
	do {
		word = __atomic_load_n(pool_of(slot), __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(
			pool_of(slot), &word,
			(word & ~SEGMENT_POOL_NEXT) | ((uint32_t)old & SEGMENT_POOL_NEXT),
			0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
		new = ((old >> 32) + 1) << 32 | slot;
	} while (!__atomic_compare_exchange_n(head, &old, new, 0, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

/* The topmost slot that may be had, or 0. */
static uint32_t offered_pop(void)
{
	uint64_t *head = &process_facts.file->offered, new;
	uint64_t old = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	uint32_t flags = SEGMENT_POOL_LISTED | SEGMENT_POOL_OFFERED;

	while ((uint32_t)old) {
		uint32_t slot = (uint32_t)old, next;

		if (slot >= process_facts.file->slot_limit)
			return 0;
		next = __atomic_load_n(pool_of(slot), __ATOMIC_RELAXED) &
		       SEGMENT_POOL_NEXT;
		new = ((old >> 32) + 1) << 32 | next;
		if (!__atomic_compare_exchange_n(head, &old, new, 0, __ATOMIC_ACQUIRE,
						 __ATOMIC_ACQUIRE))
			continue;
		/* acquire: pairs with the release of its owner */
		if (__atomic_fetch_and(pool_of(slot), ~flags, __ATOMIC_ACQ_REL) &
		    SEGMENT_POOL_OFFERED)
			return slot;
		old = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	}
	return 0;
}

/* The owner goes on with its slot. 0: somebody else has it already. */
static int offered_take_back(uint32_t slot)
{
	return (__atomic_fetch_and(pool_of(slot), ~SEGMENT_POOL_OFFERED,
				   __ATOMIC_ACQ_REL) &
		SEGMENT_POOL_OFFERED) != 0;
}

/* An image's first children have slots to themselves, as long as the file has room for
 * many more: so the few workers of a server can be told apart by their lanes, and can
 * have snapshots. */
#define FIRST_OWN_SLOTS 64u
#define FIRST_OWN_SHARE 4u /* one slot in so many */

/* A slot whose tables are used up to this share is not handed on. */
#define USED_SHARE 2u

#define PEAK_SLOT_BITS 16
#define PEAK_SLOT_MASK ((1ull << PEAK_SLOT_BITS) - 1)

static void count_duration(struct segment_function *function, uint64_t ticks)
{
	uint32_t bucket = segment_histogram_bucket(ticks);

	if (++function->histogram[bucket])
		return;
	function->overflow_bucket = bucket;
	function->overflow_count++;
}

/* Step 3: the frames that were open when the former process ended, closed at that time.
 * Those it was born with have no call site: they are no calls of its own. */
static void close_frames(struct segment_lane *lane, uint64_t end_ticks)
{
	struct segment_frame *frames = arrays_entries(lane, &lane->frames);
	struct segment_node *nodes = arrays_entries(lane, &lane->nodes);
	struct segment_function *functions = arrays_entries(lane, &lane->functions);
	uint32_t depth = lane->frames.count;

	if (depth > lane->frames.committed)
		depth = lane->frames.committed;
	while (depth-- > 0) {
		const struct segment_frame *frame = &frames[depth];
		struct segment_node *node = &nodes[frame->node];
		uint64_t ticks = end_ticks - frame->start_ticks;

		lane->frames.count = depth;
		lane->closed_frame_count++;
		if (frame->node <= LANE_ROOT || frame->node >= lane->nodes.count ||
		    frame->start_ticks >= end_ticks)
			continue;
		node->total_ticks += ticks;
		if (segment_frame_is_inherited(frame) ||
		    node->function >= lane->functions.count)
			continue;
		if (ticks < node->min_ticks)
			node->min_ticks = ticks;
		if (ticks > node->max_ticks)
			node->max_ticks = ticks;
		count_duration(&functions[node->function], ticks);
	}
	lane->frames.count = 0;
}

struct sums {
	uint64_t alloc_count, alloc_bytes, free_count, free_bytes;
};

static struct sums sum_sites(struct segment_process *segment)
{
	struct segment_site *sites = arrays_entries(segment, &segment->sites);
	struct sums sums = {0};

	if (segment->sites.first < segment->sites.count)
		process_will_write(&sites[segment->sites.first]);
	for (uint32_t i = segment->sites.first; i < segment->sites.count; i++) {
		sums.alloc_count += sites[i].alloc_count;
		sums.alloc_bytes += sites[i].alloc_bytes;
		sums.free_count += sites[i].free_count;
		sums.free_bytes += sites[i].free_bytes;
	}
	return sums;
}

/* Step 1. What former processes allocated is settled: freed, or left behind. */
static void write_tenant(const struct segment_process *segment,
			 struct segment_tenant *tenant, const struct sums *sums)
{
	*tenant = (struct segment_tenant){
		.pid = segment->pid,
		.parent_pid = segment->parent_pid,
		.state = segment->state,
		.exit_code = segment->exit_code,
		.forked_from_slot = segment->forked_from_slot,
		.forked_from_tenant = segment->forked_from_tenant,
		.notes = segment->notes,
		.first_thread = segment->first_thread,
		.switch_source = segment->switch_source,
		.start_ticks = segment->start_ticks,
		.end_ticks = segment->end_ticks,
		.start_time = segment->start_time,
		.peak_bytes = segment->peak_bytes,
		.live_bytes = sums->alloc_bytes - sums->free_bytes,
		.alloc_count = sums->alloc_count - segment->settled_alloc_count,
		.alloc_bytes = sums->alloc_bytes - segment->settled_alloc_bytes,
		.free_count = sums->free_count - segment->settled_alloc_count,
		.free_bytes = sums->free_bytes - segment->settled_alloc_bytes,
	};
}

/* Step 3: what a site has live belongs to nobody who lives. */
static void settle_sites(struct segment_process *segment, const struct sums *sums)
{
	struct segment_site *sites = arrays_entries(segment, &segment->sites);
	struct segment_left *left = arrays_entries(segment, &segment->left);

	for (uint32_t i = segment->sites.first; i < segment->sites.count; i++) {
		struct segment_site *site = &sites[i];

		if (site->alloc_count == site->free_count &&
		    site->alloc_bytes == site->free_bytes)
			continue;
		left[i].count += site->alloc_count - site->free_count;
		left[i].bytes += site->alloc_bytes - site->free_bytes;
		site->free_count = site->alloc_count;
		site->free_bytes = site->alloc_bytes;
	}
	segment->settled_alloc_count = sums->alloc_count;
	segment->settled_alloc_bytes = sums->alloc_bytes;
}

/* Pages for what taking over writes. 0, or -errno. */
static int make_room(struct segment_process *segment, uint32_t slot)
{
	int result =
		process_grow(segment, slot, ARRAY_TENANTS, (segment->tenancy >> 1) + 1);

	if (result == 0)
		result = process_grow(segment, slot, ARRAY_LEFT, segment->sites.count);
	/* reserved entries are zero: of nothing left */
	if (result == 0)
		arrays_publish(&segment->left, segment->left.committed);
	return result;
}

static int is_whole(const struct segment_process *segment,
		    const struct segment_lane *lane, uint32_t slot)
{
	uint64_t slot_size = process_facts.file->slot_size;

	return segment->magic == SEGMENT_MAGIC_PROCESS &&
	       arrays_are_laid_out(SEGMENT_SLOT_PROCESS, segment, slot_size) &&
	       (segment->tenancy & 1) == 0 &&
	       segment->tenancy >> 1 < segment->tenants.capacity &&
	       segment->threads.count < segment->threads.capacity &&
	       lane->magic == SEGMENT_MAGIC_LANE && lane->process_slot == slot &&
	       arrays_are_laid_out(SEGMENT_SLOT_LANE, lane, slot_size);
}

/* Mostly the lane's slot is the next one, for they were taken one after the other. */
static int is_next_lane(uint32_t slot)
{
	const struct segment_file *file = process_facts.file;

	return slot + 1 < file->slot_limit &&
	       file->slots[slot + 1].kind == SEGMENT_SLOT_LANE &&
	       file->slots[slot + 1].process_slot == slot;
}

static void map_both(struct reuse_slots *slots)
{
	int with_next = is_next_lane(slots->slot);
	char *mapped = process_map_slots(slots->slot, with_next ? 2 : 1);
	uint64_t slot_size = process_facts.file->slot_size;

	if (!mapped)
		return;
	process_will_write(mapped); /* headers have their pages */
	if (with_next)
		process_will_write(mapped + slot_size);
	slots->segment = (void *)mapped;
	slots->lane_slot = slots->segment->lane_slot;
	if (with_next && slots->lane_slot == slots->slot + 1) {
		slots->lane = (void *)(mapped + slot_size);
		return;
	}
	if (with_next)
		process_unmap(mapped + slot_size, slot_size);
	slots->lane = slots->lane_slot < process_facts.file->slot_limit
			      ? process_map_slot(slots->lane_slot)
			      : NULL;
	if (!slots->lane) {
		process_unmap(mapped, slot_size);
		slots->segment = NULL;
	}
}

static void unmap_both(struct reuse_slots *slots)
{
	process_unmap(slots->segment, process_facts.file->slot_size);
	process_unmap(slots->lane, process_facts.file->slot_size);
	slots->segment = NULL;
}

static void end_former(struct reuse_slots *slots)
{
	struct segment_process *segment = slots->segment;
	struct segment_tenant *tenants = arrays_entries(segment, &segment->tenants);
	uint32_t count = segment->tenancy >> 1;
	struct sums sums = sum_sites(segment);

	write_tenant(segment, &tenants[count], &sums);
	segment->tenants.count = count + 1;
	/* release: the record is whole */
	__atomic_store_n(&segment->tenancy, (count + 1) << 1 | 1, __ATOMIC_RELEASE);
	/* on the clock of its stack, which stands still while the recorder works */
	close_frames(slots->lane,
		     segment->end_ticks > slots->lane->suspended_ticks
			     ? segment->end_ticks - slots->lane->suspended_ticks
			     : 0);
	settle_sites(segment, &sums);
}

void reuse_take(struct reuse_slots *ret)
{
	struct segment_file *file = process_facts.file;
	uint32_t first;

	process_will_write(file);
	*ret = (struct reuse_slots){.segment = NULL};
	first = file->slot_limit / FIRST_OWN_SHARE;
	if (first > FIRST_OWN_SLOTS)
		first = FIRST_OWN_SLOTS;
	if (__atomic_load_n(&file->slot_count, __ATOMIC_RELAXED) < first)
		return;
	ret->slot = offered_pop();
	if (!ret->slot)
		return;
	map_both(ret);
	if (!ret->segment) {
		offered_push(ret->slot);
		return;
	}
	if (!is_whole(ret->segment, ret->lane, ret->slot) ||
	    !modes_fit(ret->segment, process_facts.segment)) {
		/* damaged by somebody, or its numbers of functions are others than the
		 * parent's, which gets more and never less: nobody gets it any more */
		unmap_both(ret);
	} else if (make_room(ret->segment, ret->slot) < 0) {
		unmap_both(ret);
		offered_push(ret->slot);
	} else {
		end_former(ret);
	}
}

void reuse_taken(struct segment_process *segment)
{
	/* release: the header is whole */
	__atomic_store_n(&segment->tenancy, segment->tenancy & ~1u, __ATOMIC_RELEASE);
}

/* Has the process nothing that the next one could not go on with? Under the lock. */
static int may_be_offered(const struct lane_context *context)
{
	const struct segment_process *segment = process->segment;
	const struct segment_lane *lane;

	/* one that shares the file with others of another user has no say in theirs */
	if (!segment->forked_from_slot || !lane_is_live(context) ||
	    (segment->notes & SEGMENT_NOTE_NOT_APART) || process->lanes != context ||
	    context->next_lane || process->free_lanes ||
	    segment->lane_slot != context->slot || context->is_vforking ||
	    context->busy[BUSY_TREE] || context->busy[BUSY_BOOKS] ||
	    context->busy[BUSY_SERIES])
		return 0;
	lane = context->lane;
	return segment->threads.count == segment->first_thread + 1 &&
	       !lane->fibers.count && !lane->series.count && !lane->left_ticks &&
	       !context->deferred_count && !segment->history_slot &&
	       !process_facts.run->snapshot_every_ms &&
	       segment->tenancy >> 1 < segment->tenants.capacity - 1 &&
	       segment->threads.count < segment->threads.capacity - 1 &&
	       segment->modules.count < segment->modules.capacity / USED_SHARE &&
	       segment->sites.count < segment->sites.capacity / USED_SHARE &&
	       lane->nodes.count < lane->nodes.capacity / USED_SHARE &&
	       lane->nodes.count < process_facts.path_limit / USED_SHARE &&
	       lane->functions.count < lane->functions.capacity / USED_SHARE;
}

/* The slot to offer: one's own, or that of the process that had the highest peak so far;
 * 0: none. */
static uint32_t give_way(uint32_t slot, uint64_t peak_bytes)
{
	uint64_t *highest = &process_facts.file->highest_peak;
	uint64_t old = __atomic_load_n(highest, __ATOMIC_RELAXED), new, holder;
	uint64_t most = UINT64_MAX >> PEAK_SLOT_BITS;

	new = (peak_bytes < most ? peak_bytes : most) << PEAK_SLOT_BITS | slot;
	do {
		uint64_t peak = old >> PEAK_SLOT_BITS;

		holder = old & PEAK_SLOT_MASK;
		if (new >> PEAK_SLOT_BITS < peak ||
		    (new >> PEAK_SLOT_BITS == peak &&holder))
			return slot;
	} while (!__atomic_compare_exchange_n(highest, &old, new, 0, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	return (uint32_t)holder;
}

/* Takers of snapshots do without processes that are not RUNNING. */
static int end_process(enum segment_process_state state)
{
	struct segment_process *segment = process->segment;
	uint32_t free_lock = 0;

	if (!__atomic_compare_exchange_n(&segment->snapshot_lock, &free_lock,
					 SEGMENT_LOCK_THREAD, 0, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return 0;
	if (!segment->snapshot_interval) {
		if (!segment->end_ticks)
			segment->end_ticks = clock_now();
		/* release: end_ticks comes with it */
		__atomic_store_n(&segment->state, state, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&segment->snapshot_lock, 0, __ATOMIC_RELEASE);
	return !segment->snapshot_interval;
}

int reuse_offer(enum segment_process_state state)
{
	struct lane_context *context = lane_self;
	uint32_t offered = 0;
	uint64_t mask;

	if (!process_is_ready() || !process_lock(&mask))
		return 0;
	if (may_be_offered(context) && end_process(state)) {
		process->has_left = 1;
		process->left_lane = context;
		lane_self = &lane_none;
		offered = give_way(process->slot, process->segment->peak_bytes);
	}
	process_unlock(&mask);
	if (offered)
		offered_push(offered);
	return process->has_left != 0;
}

/* The slot is kept for its peak. That of the process stays, which lives on: the next one
 * as high is kept again. */
static int take_peak_back(void)
{
	uint64_t *highest = &process_facts.file->highest_peak;
	uint64_t old = __atomic_load_n(highest, __ATOMIC_RELAXED);

	return (old & PEAK_SLOT_MASK) == process->slot &&
	       __atomic_compare_exchange_n(highest, &old, old & ~PEAK_SLOT_MASK, 0,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Somebody else has the slots: what comes is recorded as of a child. */
static void begin_again(void)
{
	char *state = (char *)process;

	for (unsigned int i = 0; i < sizeof(*process); i++)
		state[i] = 0;
	lane_self = &lane_absent;
}

void reuse_retract(void)
{
	uint64_t mask;

	if (!process || !process->has_left || !gate_block_signals(&mask))
		return;
	if (take_peak_back() || offered_take_back(process->slot)) {
		process->segment->end_ticks = 0;
		__atomic_store_n(&process->segment->state, SEGMENT_PROCESS_RUNNING,
				 __ATOMIC_RELEASE);
		lane_self = process->left_lane;
		process->has_left = 0;
	} else {
		begin_again();
	}
	gate_restore_signals(&mask);
}
