/* SPDX-License-Identifier: MIT */
/* The segment files of a spool, and who has their slots. Must not keep a file open that
 * is none of the run. */
#include "collector/follow/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/xalloc.h"

/* Descriptors, of a thousand that one has. */
#define FILES_MOST 512u
#define LANES_MOST 65536u

static int is_known(const struct follow *follow, const char *name)
{
	for (size_t i = 0; i < follow->file_count; i++)
		if (strcmp(follow->files[i].name, name) == 0)
			return 1;
	return 0;
}

static void add_file(struct follow *follow, const char *name)
{
	struct segment_reader reader;
	struct follow_file *file;

	if (follow->file_count >= FILES_MOST) {
		follow->left_out_count++;
		return;
	}
	/* one that is being made is looked at again */
	if (segment_reader_open(&reader, follow->directory_fd, name, follow->page.token) <
	    0)
		return;
	follow->files =
		array_room(follow->files, follow->file_count, sizeof(*follow->files));
	file = &follow->files[follow->file_count++];
	*file = (struct follow_file){
		.name = xstrdup(name), .reader = reader, .slots_done = 1};
	file->lane_of = xreallocarray(NULL, SEGMENT_SLOT_LIMIT, sizeof(uint32_t));
	file->process_of = xreallocarray(NULL, SEGMENT_SLOT_LIMIT, sizeof(uint32_t));
	memset(file->lane_of, 0xff, SEGMENT_SLOT_LIMIT * sizeof(uint32_t));
	memset(file->process_of, 0xff, SEGMENT_SLOT_LIMIT * sizeof(uint32_t));
}

static void list_files(struct follow *follow)
{
	size_t suffix = strlen(SEGMENT_FILE_SUFFIX);
	int fd = openat(follow->directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!directory) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(directory))) {
		size_t length = strlen(entry->d_name);

		if (length > suffix && !is_known(follow, entry->d_name) &&
		    strcmp(entry->d_name + length - suffix, SEGMENT_FILE_SUFFIX) == 0)
			add_file(follow, entry->d_name);
	}
	closedir(directory);
}

static void add_process(struct follow *follow, uint32_t file, uint32_t slot)
{
	follow->processes = array_room(follow->processes, follow->process_count,
				       sizeof(struct follow_process *));
	follow->processes[follow->process_count] =
		xcalloc(1, sizeof(struct follow_process));
	follow->processes[follow->process_count]->file = file;
	follow->processes[follow->process_count]->slot = slot;
	follow->processes[follow->process_count]->number =
		(uint32_t)follow->process_count;
	follow->files[file].process_of[slot] = follow->process_count++;
}

static void add_lane(struct follow *follow, uint32_t file, uint32_t slot,
		     uint32_t process)
{
	struct follow_lane *lane;

	if (follow->lane_count >= LANES_MOST) {
		follow->left_out_count++;
		return;
	}
	follow->lanes =
		array_room(follow->lanes, follow->lane_count, sizeof(*follow->lanes));
	lane = &follow->lanes[follow->lane_count];
	*lane = (struct follow_lane){
		.file = file, .slot = slot, .process = process, .thread = NO_LANE};
	follow->files[file].lane_of[slot] = (uint32_t)follow->lane_count++;
}

/* Of the one that was asked for, in whichever file: exec begins a new one. */
static int is_wanted(const struct follow *follow, const struct segment_slot *slot)
{
	return !follow->pid || slot->pid == follow->inner_pid;
}

/* False: it may still become something. */
static int settle_slot(struct follow *follow, uint32_t file, uint32_t number,
		       const struct segment_slot *slot)
{
	struct follow_file *from = &follow->files[file];

	switch (slot->kind) {
	case SEGMENT_SLOT_PROCESS:
		if (from->process_of[number] == NO_PROCESS && is_wanted(follow, slot))
			add_process(follow, file, number);
		return 1;
	case SEGMENT_SLOT_LANE:
		if (slot->process_slot >= SEGMENT_SLOT_LIMIT)
			return 1;
		if (from->process_of[slot->process_slot] == NO_PROCESS)
			return !is_wanted(follow, slot);
		if (from->lane_of[number] == NO_LANE)
			add_lane(follow, file, number,
				 from->process_of[slot->process_slot]);
		return 1;
	case SEGMENT_SLOT_FREE:
		return 0;
	default:
		return 1;
	}
}

#define SLOTS_AT_ONCE 256u

/* Slots settle in order as a rule; those behind the first that has not are looked at
 * again. */
static void look_at_slots(struct follow *follow, uint32_t file)
{
	struct segment_slot slots[SLOTS_AT_ONCE];
	struct follow_file *from = &follow->files[file];
	int all_settled = 1;

	if (segment_reader_refresh(&from->reader) < 0)
		return;
	for (uint32_t at = from->slots_done; at < from->reader.slot_count;) {
		uint32_t left = from->reader.slot_count - at;
		uint32_t count = segment_reader_slots(
			&from->reader, at, left < SLOTS_AT_ONCE ? left : SLOTS_AT_ONCE,
			slots);

		for (uint32_t i = 0; i < count; i++) {
			all_settled &= settle_slot(follow, file, at + i, &slots[i]);
			if (all_settled)
				follow->files[file].slots_done = at + i + 1;
		}
		if (!count)
			return;
		at += count;
	}
}

/* Programs that call exec make new files. */
#define LIST_EVERY_NS 500000000u

int follow_list(struct follow *follow, uint64_t now_ns)
{
	if (!follow->listed_ns || now_ns - follow->listed_ns > LIST_EVERY_NS) {
		follow->listed_ns = now_ns;
		list_files(follow);
	}
	for (uint32_t i = 0; i < follow->file_count; i++)
		look_at_slots(follow, i);
	return follow->file_count ? 0 : -EIO;
}
