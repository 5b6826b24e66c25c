/* SPDX-License-Identifier: MIT */
/* See memory.h. */
#include "collector/live/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "common/base/array.h"

static struct live_snapshot_lane *add_memory(struct live_snapshot_memory *memory,
					     uint32_t slot, uint32_t node_limit)
{
	size_t bytes = node_limit * 2 * sizeof(uint64_t);
	uint64_t *sums = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct live_snapshot_lane *lane;

	if (sums == MAP_FAILED)
		return NULL;
	memory->lanes = array_room(memory->lanes, memory->count, sizeof(*lane));
	lane = &memory->lanes[memory->count++];
	*lane = (struct live_snapshot_lane){
		slot, {sums, sums + node_limit, node_limit}, bytes};
	return lane;
}

const struct history_memory *live_snapshot_remember(struct live_snapshot_memory *memory,
						    uint32_t slot, uint32_t node_limit)
{
	const struct live_snapshot_lane *lane = NULL;

	for (size_t i = 0; i < memory->count && !lane; i++) {
		size_t at = (memory->next + i) % memory->count;

		if (memory->lanes[at].slot == slot) {
			lane = &memory->lanes[at];
			memory->next = at + 1;
		}
	}
	if (!lane)
		lane = add_memory(memory, slot, node_limit);
	return lane ? &lane->memory : NULL;
}

void live_snapshot_forget(struct live_snapshot_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		munmap(memory->lanes[i].memory.sums, memory->lanes[i].bytes);
	free(memory->lanes);
	*memory = (struct live_snapshot_memory){.count = 0};
}
