/* SPDX-License-Identifier: MIT */
/*
 * Holes behind the used part of a dead process's arrays. Must not believe a number in
 * the file: a hole stays inside its array and slot.
 */
#include "collector/watch/trim.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <stddef.h>
#include <unistd.h>

#include "common/segment.h"
#include "collector/read/rundir.h"
#include "common/segment_series.h"
#include "collector/read/tenants.h"

#define PAGE_BYTES 4096ull

/* Lanes are looked for in this many slots behind the process: its first ones. A table of
 * 16,384 slots is not searched for each of thousands of forked children. */
#define NEAR_SLOTS 32

struct slot_place {
	int fd;
	uint64_t start, size; /* of the slot in the file */
};

static int read_whole(int fd, uint64_t offset, void *to, size_t size)
{
	return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Entries [used, capacity) of an array at `offset` of the slot are of no use. */
static void punch(const struct slot_place *place, uint64_t offset, uint64_t entry_size,
		  uint64_t used, uint64_t capacity)
{
	uint64_t first = offset + used * entry_size, end = offset + capacity * entry_size;

	if (used > capacity || !offset || offset > place->size || end > place->size)
		return;
	first = (first + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	end &= ~(PAGE_BYTES - 1);
	if (first < end)
		(void)fallocate(place->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)(place->start + first), (off_t)(end - first));
}

static void trim_header_slot(const struct slot_place *place)
{
	struct segment_process process;

	if (!read_whole(place->fd, place->start, &process, sizeof(process)) ||
	    process.magic != SEGMENT_MAGIC_PROCESS)
		return;
	punch(place, process.module_offset, sizeof(struct segment_module),
	      process.module_count, process.module_capacity);
	punch(place, process.thread_offset, sizeof(struct segment_thread),
	      process.thread_count, process.thread_capacity);
	/* site ids below first_site are the parent's and have no entry here */
	punch(place, process.site_offset, sizeof(struct segment_site), process.site_count,
	      process.site_capacity);
}

static void trim_lane_slot(const struct slot_place *place)
{
	struct segment_lane lane;

	if (!read_whole(place->fd, place->start, &lane, sizeof(lane)) ||
	    lane.magic != SEGMENT_MAGIC_LANE)
		return;
	if (lane.fiber_count == 0) /* else the end of the frames is coroutines' */
		punch(place, lane.frame_offset, sizeof(struct segment_frame), lane.depth,
		      lane.frame_capacity);
	punch(place, lane.node_offset, sizeof(struct segment_node), lane.node_count,
	      lane.node_capacity);
	punch(place, lane.function_offset, sizeof(struct segment_function),
	      lane.function_count, lane.function_capacity);
	punch(place, lane.fiber_offset, sizeof(struct segment_fiber), lane.fiber_count,
	      lane.fiber_capacity);
	punch(place, lane.series_offset, sizeof(struct segment_series), lane.series_count,
	      lane.series_capacity);
}

/* Is the process that is dead the one whose slot it is, and will be for good? One that
 * has offered its slot has said that it ends, before. */
static int is_its_own(const struct segment_reader *reader, uint32_t slot,
		      uint64_t start_ticks)
{
	struct segment_process process;

	return read_tenants_header(reader, slot, &process) == 0 &&
	       !(process.tenancy & 1) && process.start_ticks == start_ticks &&
	       (!process.forked_from_slot || process.state == SEGMENT_PROCESS_RUNNING);
}

static void trim_slots(int fd, uint32_t slot, uint64_t start_ticks)
{
	struct segment_slot slots[NEAR_SLOTS];
	uint64_t table = offsetof(struct segment_file, slots);
	struct segment_reader reader;
	struct segment_file header;
	ssize_t got;

	if (!read_whole(fd, 0, &header, (size_t)table) ||
	    header.magic != SEGMENT_MAGIC_FILE || slot >= SEGMENT_SLOT_LIMIT ||
	    header.slot_size > (uint64_t)INT64_MAX / SEGMENT_SLOT_LIMIT)
		return;
	reader = (struct segment_reader){.fd = fd, .slot_size = header.slot_size};
	if (!is_its_own(&reader, slot, start_ticks))
		return;
	got = pread(fd, slots, sizeof(slots), (off_t)(table + slot * sizeof(*slots)));
	for (uint32_t i = 0; i < got / (ssize_t)sizeof(*slots); i++) {
		struct slot_place place = {fd, (slot + i) * header.slot_size,
					   header.slot_size};

		if (slots[i].process_slot != slot)
			continue;
		if (slots[i].kind == SEGMENT_SLOT_PROCESS)
			trim_header_slot(&place);
		else if (slots[i].kind == SEGMENT_SLOT_LANE)
			trim_lane_slot(&place);
	}
}

void trim_process(int directory_fd, const char *file, uint32_t slot, uint64_t start_ticks)
{
	int fd = rundir_open_file(directory_fd, file, O_RDWR);

	if (fd < 0)
		return;
	trim_slots(fd, slot, start_ticks);
	close(fd);
}
