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

#include "common/arrays.h"
#include "common/segment.h"
#include "collector/read/rundir.h"
#include "collector/read/segment_file.h"

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

static void punch(const struct slot_place *place, uint64_t first, uint64_t end)
{
	first = (first + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	end &= ~(PAGE_BYTES - 1);
	if (first < end)
		(void)fallocate(place->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)(place->start + first), (off_t)(end - first));
}

/* What lies behind the used part of each array. */
static void trim_slot(const struct slot_place *place, enum segment_slot_kind kind,
		      const void *header)
{
	for (uint32_t i = 0; i < ARRAY_COUNT; i++) {
		uint64_t entry_bytes = array_kinds[i].entry_bytes;
		struct segment_array array;

		if (array_kinds[i].slot_kind != kind ||
		    arrays_read(header, i, place->size, &array) < 0)
			continue;
		punch(place, array.offset + array.count * entry_bytes,
		      array.offset + array.capacity * entry_bytes);
	}
}

static void trim_process_slot(const struct slot_place *place)
{
	struct segment_process process;

	if (read_whole(place->fd, place->start, &process, sizeof(process)) &&
	    process.magic == SEGMENT_MAGIC_PROCESS)
		trim_slot(place, SEGMENT_SLOT_PROCESS, &process);
}

static void trim_lane_slot(const struct slot_place *place)
{
	struct segment_lane lane;

	if (!read_whole(place->fd, place->start, &lane, sizeof(lane)) ||
	    lane.magic != SEGMENT_MAGIC_LANE)
		return;
	if (lane.fibers.count) /* the end of the frames is coroutines' */
		lane.frames.count = lane.frames.capacity;
	trim_slot(place, SEGMENT_SLOT_LANE, &lane);
}

/* Is the process that is dead the one whose slot it is, and will be for good? One that
 * has offered its slot has said that it ends, before. */
static int is_its_own(const struct segment_reader *reader, uint32_t slot,
		      uint64_t start_ticks)
{
	struct segment_process process;

	return segment_reader_process(reader, slot, &process) == 0 &&
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
			trim_process_slot(&place);
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
