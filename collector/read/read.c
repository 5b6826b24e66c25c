/* SPDX-License-Identifier: MIT */
/*
 * Reading a spool directory into memory, checked. Must not trust a count, an offset or a
 * string in the files.
 */
#include "collector/read/read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/xalloc.h"
#include "collector/read/tenants.h"
#include "collector/read/segment_file.h"

#define END_STRING(array) ((array)[sizeof(array) - 1] = 0)

static int is_segment_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SEGMENT_FILE_SUFFIX);

	return length > suffix &&
	       strcmp(name + length - suffix, SEGMENT_FILE_SUFFIX) == 0;
}

static void add_file(struct read_run *run, const char *name)
{
	run->files = array_room(run->files, run->file_count, sizeof(*run->files));
	run->names = array_room(run->names, run->file_count, sizeof(*run->names));
	run->files[run->file_count++] = xstrdup(name);
}

static int list_files(struct read_run *run)
{
	int fd = fcntl(run->directory_fd, F_DUPFD_CLOEXEC, 0);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!directory) {
		int result = -errno;

		if (fd >= 0)
			close(fd);
		return result;
	}
	rewinddir(directory);
	while ((entry = readdir(directory))) {
		if (is_segment_name(entry->d_name))
			add_file(run, entry->d_name);
	}
	closedir(directory);
	return 0;
}

/* Reads a process slot and appends it, with those that had the slot before. -EINVAL:
 * damaged. */
static int add_process(struct read_run *run, const struct segment_reader *reader,
		       uint32_t file, uint32_t slot)
{
	struct segment_process header;
	int result;

	if (segment_reader_process(reader, slot, &header) < 0)
		return -EINVAL;
	run->processes =
		array_room(run->processes, run->process_count, sizeof(*run->processes));
	result = read_process(&run->processes[run->process_count++], reader, file, slot,
			      &header, read_node_limit(&run->page));
	run->processes =
		read_tenants(run->processes, &run->process_count, reader, &header);
	return result;
}

/* Until sort_processes() has run, a lane's process is its slot. */
static void note_lane(struct read_run *run, const struct segment_reader *reader,
		      uint32_t file, uint32_t slot, uint32_t process_slot)
{
	struct segment_array nodes = {.count = 0};

	(void)segment_reader_bytes(reader, slot, offsetof(struct segment_lane, nodes),
				   &nodes, sizeof(nodes));
	run->lanes = array_room(run->lanes, run->lane_count, sizeof(*run->lanes));
	run->lanes[run->lane_count++] =
		(struct read_lane){file, slot, process_slot, nodes.count};
}

/* A file has one table at most; a second one is somebody's who came too late. */
static int read_names(struct read_run *run, const struct segment_reader *reader,
		      uint32_t file, uint32_t slot)
{
	struct read_names *to = &run->names[file];
	struct segment_names header;

	if (slot != reader->name_slot)
		return 0;
	if (segment_reader_bytes(reader, slot, 0, &header, sizeof(header)) < 0 ||
	    header.magic != SEGMENT_MAGIC_NAMES || to->names)
		return -EINVAL;
	to->names =
		segment_reader_entries(reader, slot, ARRAY_NAMES, &header, &to->count);
	for (uint32_t i = 0; i < to->count; i++) {
		END_STRING(to->names[i].component);
		END_STRING(to->names[i].name);
	}
	return 0;
}

static int read_slot(struct read_run *run, const struct segment_reader *reader,
		     uint32_t file, uint32_t number)
{
	struct segment_slot slot;

	if (segment_reader_slot(reader, number, &slot) < 0)
		return -ENODATA;
	switch (slot.kind) {
	case SEGMENT_SLOT_PROCESS:
		return add_process(run, reader, file, number);
	case SEGMENT_SLOT_LANE:
		note_lane(run, reader, file, number, slot.process_slot);
		return 0;
	case SEGMENT_SLOT_NAMES:
		return read_names(run, reader, file, number);
	case SEGMENT_SLOT_FREE:
	case SEGMENT_SLOT_HISTORY:
	case SEGMENT_SLOT_ELSEWHERE:
		return 0;
	default:
		return -EINVAL;
	}
}

/* 0, or -errno: the file is none of the run, or there are no descriptors. */
static int read_file(struct read_run *run, uint32_t file)
{
	struct segment_reader reader;
	int result = segment_reader_open(&reader, run->directory_fd, run->files[file],
					 run->page.token);

	if (result < 0)
		return result == -EMFILE || result == -ENFILE ? result : -EINVAL;
	run->spool_bytes += reader.allocated_bytes;
	for (uint32_t i = 1; i < reader.slot_count && result != -ENODATA; i++) {
		result = read_slot(run, &reader, file, i);
		if (result < 0)
			run->damaged_count++;
	}
	segment_reader_close(&reader);
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct read_process *left = a, *right = b;

	if (left->start_ticks != right->start_ticks)
		return left->start_ticks < right->start_ticks ? -1 : 1;
	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	if (left->slot != right->slot)
		return left->slot < right->slot ? -1 : 1;
	return left->tenant < right->tenant ? -1 : left->tenant > right->tenant;
}

struct place {
	uint32_t file, slot, process;
};

static int by_place(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	return left->slot < right->slot ? -1 : left->slot > right->slot;
}

/* Puts the processes in order of time and makes the lanes point at them. Lanes whose
 * process is not there are dropped. */
static void sort_processes(struct read_run *run)
{
	struct place *places = xcalloc(run->process_count, sizeof(*places));
	size_t owners = 0, kept = 0;

	if (run->process_count)
		qsort(run->processes, run->process_count, sizeof(*run->processes),
		      by_start);
	for (size_t i = 0; i < run->process_count; i++) {
		struct read_process *process = &run->processes[i];

		if (!process->is_borrower)
			places[owners++] =
				(struct place){process->file, process->slot, (uint32_t)i};
		process->names = run->names[process->file].names;
		process->name_count = run->names[process->file].count;
	}
	qsort(places, owners, sizeof(*places), by_place);
	for (size_t i = 0; i < run->process_count; i++) {
		struct place key = {run->processes[i].file, run->processes[i].slot, 0};
		const struct place *place =
			bsearch(&key, places, owners, sizeof(*places), by_place);

		run->processes[i].owner = place->process;
	}
	for (size_t i = 0; i < run->lane_count; i++) {
		struct read_lane *lane = &run->lanes[i];
		struct place key = {lane->file, lane->process, 0}, *place;

		place = bsearch(&key, places, owners, sizeof(*places), by_place);
		if (!place) {
			run->damaged_count++;
			continue;
		}
		lane->process = place->process;
		run->lanes[kept++] = *lane;
	}
	run->lane_count = kept;
	free(places);
}

int read_run_open(struct read_run *ret, const struct rundir *rundir, char *error,
		  size_t error_size)
{
	int result;

	*ret = (struct read_run){.directory_fd = -1};
	result = read_run_page(rundir, &ret->page, error, error_size);
	if (result < 0)
		return result;
	if (read_run_state(rundir, &ret->page, &ret->state) < 0)
		ret->damaged_count++;
	/* without the file nothing was changed */
	if (read_settings(rundir, ret->page.token, &ret->settings) < 0 &&
	    ret->settings.generation)
		ret->damaged_count++;
	ret->directory_fd = fcntl(rundir->fd, F_DUPFD_CLOEXEC, 3);
	result = ret->directory_fd < 0 ? -errno : list_files(ret);
	for (uint32_t i = 0; result == 0 && i < ret->file_count; i++) {
		result = read_file(ret, i);
		if (result == -EINVAL) {
			ret->damaged_count++;
			result = 0;
		}
	}
	if (result == 0) {
		sort_processes(ret);
		return 0;
	}
	snprintf(error, error_size, "cannot read the spool %s: %s", rundir->path,
		 strerror(-result));
	read_run_close(ret);
	return result;
}

void read_run_close(struct read_run *run)
{
	for (size_t i = 0; i < run->file_count; i++) {
		free(run->files[i]);
		free(run->names[i].names);
	}
	free(run->files);
	free(run->names);
	read_settings_done(&run->settings);
	for (size_t i = 0; i < run->process_count; i++)
		read_process_done(&run->processes[i]);
	free(run->processes);
	free(run->lanes);
	if (run->directory_fd >= 0)
		close(run->directory_fd);
	*run = (struct read_run){.directory_fd = -1};
}
