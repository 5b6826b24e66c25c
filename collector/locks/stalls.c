/* SPDX-License-Identifier: MIT */
/* Waits for other threads, of all lanes. */
#include "collector/locks/stalls.h"

#include "common/base/array.h"

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
	stalls->all = array_room(stalls->all, stalls->count, sizeof(*stalls->all));
	stalls->all[stalls->count++] = *stall;
}

void stalls_add_lane(struct stalls *stalls, uint32_t lane, const struct lane_locks *from,
		     const uint32_t *locks, uint64_t *damaged_count)
{
	merge_add(&stalls->lost_count, from->lost_stall_count);
	while (stalls->thinning < from->stall_thinning &&
	       stalls->thinning < SEGMENT_STALL_THINNING_MOST)
		thin(stalls);
	for (uint32_t i = 1; i < from->stall_count; i++) {
		struct merge_stall stall = {
			.from = from->stalls[i], .lane = lane, .holder_lane = UINT32_MAX};

		if (!stall.from.kind)
			continue; /* the writer died in between */
		if (!is_whole(&stall.from) ||
		    (!is_nap(&stall.from) && stall.from.lock >= from->lock_count)) {
			++*damaged_count;
			continue;
		}
		stall.lock = is_nap(&stall.from) ? UINT32_MAX : locks[stall.from.lock];
		if (stall.from.node < from->node_count)
			stall.waiter_path = from->paths[stall.from.node];
		add(stalls, &stall);
	}
}
