/* SPDX-License-Identifier: MIT */
/* Adds up the locks of all lanes by process and address. */
#include "collector/merge/place.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/base/array.h"
#include "common/base/xalloc.h"

/* The most that one run has. The rest is counted. */
#define LOCKS_MOST (1u << 16)
#define LOCK_WAITS_MOST (1u << 18)

void locks_add_place(struct locks *locks, struct lock_place place)
{
	if (!place.lane_slot ||
	    (place.node <= LANE_ROOT && place.what != LOCK_PLACE_HOLDER &&
	     place.what != LOCK_PLACE_STALL_HOLDER))
		return;
	ARRAY_ADD(locks->places, locks->place_count) = place;
}

/* Notes the allocation site of the memory block that contains the lock. */
static void note_block(struct merge *merge, uint32_t index,
		       const struct segment_lock *from)
{
	struct merge_lock *lock = &merge->locks.all[index];
	const struct read_process *process = &merge->run->processes[lock->process];
	uint32_t site = from->block_site - process->first_site;

	if (!from->block_site || from->block_site < process->first_site ||
	    site >= process->site_count)
		return;
	lock->block_offset = from->block_offset;
	locks_add_place(&merge->locks,
			(struct lock_place){lock->process, process->sites[site].lane_slot,
					    process->sites[site].node, index,
					    LOCK_PLACE_BLOCK});
}

/* Index of the run's lock, UINT32_MAX when there are too many. */
static uint32_t lock_at(const struct lane_walk *walk, const struct segment_lock *from)
{
	struct locks *locks = &walk->merge->locks;
	uint32_t index = map_get(&locks->map, walk->process_index, from->address, 0);
	struct merge_lock lock = {.process = walk->process_index,
				  .kind = from->kind,
				  .address = from->address,
				  .first_ticks = UINT64_MAX};

	if (index != MAP_NONE)
		return index;
	if (locks->count >= LOCKS_MOST)
		return UINT32_MAX;
	index = (uint32_t)locks->count;
	ARRAY_ADD(locks->all, locks->count) = lock;
	map_put(&locks->map, walk->process_index, from->address, 0, index);
	note_block(walk->merge, index, from);
	return index;
}

/* Adds the lane's lock and returns its index in the run; UINT32_MAX: none. */
static uint32_t add_lock(const struct lane_walk *walk, const struct segment_lock *from)
{
	struct locks *locks = &walk->merge->locks;
	struct merge_lock *lock;
	uint32_t index;

	if (!from->address)
		return UINT32_MAX; /* the writer died in between */
	index = lock_at(walk, from);
	if (index == UINT32_MAX) {
		merge_add(&locks->folded_count, from->lock_count);
		merge_add(&locks->folded_count, from->wait_count);
		return index;
	}
	lock = &locks->all[index];
	merge_add(&lock->lock_count, from->lock_count);
	merge_add(&lock->wait_count, from->wait_count);
	merge_add(&lock->wait_ticks, from->wait_ticks);
	merge_add(&lock->hold_count, from->hold_count);
	merge_add(&lock->hold_ticks, from->hold_ticks);
	merge_raise(&lock->longest_wait_ticks, from->longest_wait_ticks);
	merge_raise(&lock->longest_hold_ticks, from->longest_hold_ticks);
	if (from->first_ticks < lock->first_ticks) {
		lock->first_ticks = from->first_ticks;
		lock->first_path = place_path(walk, from->first_node);
	}
	if (from->times && from->times < walk->data.lock_time_count)
		histogram_add_segment(&lock->waits, &walk->data.lock_times[from->times]);
	return index;
}

static void add_wait(const struct lane_walk *walk, const struct segment_lock_wait *from,
		     uint32_t lock)
{
	struct locks *locks = &walk->merge->locks;
	uint32_t index = (uint32_t)locks->wait_count;

	if (locks->wait_count >= LOCK_WAITS_MOST) {
		merge_add(&locks->folded_count, from->count);
		return;
	}
	ARRAY_ADD(locks->waits, locks->wait_count) =
		(struct merge_lock_wait){.lock = lock,
					 .waiter_lane = walk->lane,
					 .holder_lane = LOCK_NO_LANE,
					 .waiter_path = place_path(walk, from->node),
					 .count = from->count,
					 .ticks = from->ticks,
					 .longest_ticks = from->longest_ticks};
	locks_add_place(locks,
			(struct lock_place){walk->process_index, from->holder_slot,
					    from->holder_node, index, LOCK_PLACE_HOLDER});
	locks_add_place(locks,
			(struct lock_place){walk->process_index, from->holder_slot,
					    from->taken_node, index, LOCK_PLACE_TAKEN});
}

/*
 * The waits for other threads, one by one (struct segment_stall). Must not follow an
 * index that was not compared with its count.
 */

/* The most that one run has. More is thinned as the shim does it. */
#define STALLS_MOST (1u << 17)

static void thin(struct stalls *stalls)
{
	size_t kept = 0;

	stalls->thinning++;
	for (size_t i = 0; i < stalls->count; i++)
		if (segment_stall_is_kept(&stalls->all[i].from, stalls->thinning))
			stalls->all[kept++] = stalls->all[i];
	stalls->count = kept;
}

static int is_whole(const struct segment_stall *stall)
{
	return stall->kind >= SEGMENT_LOCK_MUTEX && stall->kind <= SEGMENT_LOCK_CALL &&
	       stall->begin_ticks <= stall->end_ticks;
}

static int is_nap(const struct segment_stall *stall)
{
	return stall->kind >= SEGMENT_LOCK_SLEEP;
}

static void add(struct stalls *stalls, const struct merge_stall *stall)
{
	while (stalls->count >= STALLS_MOST &&
	       stalls->thinning < SEGMENT_STALL_THINNING_MOST)
		thin(stalls);
	if (stalls->count >= STALLS_MOST) {
		merge_add(&stalls->lost_count, 1);
		return;
	}
	if (!segment_stall_is_kept(&stall->from, stalls->thinning))
		return;
	ARRAY_ADD(stalls->all, stalls->count) = *stall;
}

/* Adds the stalls of a lane. locks: maps the lane's lock numbers to the run's. Holders
 * are not known yet. */
static void stalls_add_lane(struct stalls *stalls, const struct lane_walk *walk,
			    const uint32_t *locks)
{
	const struct read_lane_data *from = &walk->data;

	merge_add(&stalls->lost_count, from->header.lost_stall_count);
	while (stalls->thinning < from->header.stall_thinning &&
	       stalls->thinning < SEGMENT_STALL_THINNING_MOST)
		thin(stalls);
	for (uint32_t i = 1; i < from->stall_count; i++) {
		struct merge_stall stall = {.from = from->stalls[i],
					    .lane = walk->lane,
					    .holder_lane = UINT32_MAX};

		if (!stall.from.kind)
			continue; /* the writer died in between */
		if (!is_whole(&stall.from) ||
		    (!is_nap(&stall.from) && stall.from.lock >= from->lock_count)) {
			walk->merge->damaged_count++;
			continue;
		}
		stall.lock = is_nap(&stall.from) ? UINT32_MAX : locks[stall.from.lock];
		stall.waiter_path = place_path(walk, stall.from.node);
		add(stalls, &stall);
	}
}

void locks_add_lane(const struct lane_walk *walk)
{
	const struct read_lane_data *from = &walk->data;
	struct merge *merge = walk->merge;
	uint32_t *numbers = xcalloc(from->lock_count + 1u, sizeof(*numbers));

	merge_add(&merge->locks.folded_count, from->header.folded_lock_count);
	for (uint32_t i = 1; i < from->lock_count; i++)
		numbers[i] = add_lock(walk, &from->locks[i]);
	for (uint32_t i = 1; i < from->lock_wait_count; i++) {
		const struct segment_lock_wait *wait = &from->lock_waits[i];

		if (!wait->count)
			continue; /* the writer died in between */
		if (!wait->lock || wait->lock >= from->lock_count)
			merge->damaged_count++;
		else if (numbers[wait->lock] != UINT32_MAX)
			add_wait(walk, wait, numbers[wait->lock]);
	}
	stalls_add_lane(&merge->locks.stalls, walk, numbers);
	free(numbers);
}
