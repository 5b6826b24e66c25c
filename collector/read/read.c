/* SPDX-License-Identifier: MIT */
/*
 * Reads a spool directory into memory and checks it. Must not trust a count, an offset or
 * a string in the files.
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

#include "common/base/xalloc.h"
#include "collector/read/process.h"
#include "collector/read/segment_file.h"
#include "common/base/map.h"

static int is_segment_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SEGMENT_FILE_SUFFIX);

	return length > suffix &&
	       strcmp(name + length - suffix, SEGMENT_FILE_SUFFIX) == 0;
}

static void add_file(struct read_run *run, const struct read_file *file)
{
	run->names = array_room(run->names, run->file_count, sizeof(*run->names));
	ARRAY_ADD(run->files, run->file_count) = *file;
}

static void add_ended(struct read_run *run, const struct ended_place *place)
{
	add_file(run, &(struct read_file){.start_ticks = place->start_ticks,
					  .name_hash = place->name_hash,
					  .ended_at = place->at});
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
			add_file(run, &(struct read_file){
					      .name = xstrdup(entry->d_name),
					      .name_hash = hash_text(entry->d_name)});
	}
	closedir(directory);
	return 0;
}

/* Reads a process slot and appends its process and those that used it before. -EINVAL: it
 * is damaged. */
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
			      &header, read_node_limit(&run->page), run->module_files);
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
	ARRAY_ADD(run->lanes, run->lane_count) =
		(struct read_lane){file, slot, process_slot, nodes.count};
}

/* A file has at most one table; a second one lost a race and is ignored. */
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

/* Finds the image of a file that has ended since it was listed. */
static uint64_t find_ended(struct ended *ended, const struct read_file *file)
{
	ended_refresh(ended);
	for (size_t i = ended->count; i-- > 0;) {
		const struct ended_place *place = &ended->places[i];

		if (place->name_hash == file->name_hash &&
		    place->start_ticks == file->start_ticks)
			return place->at;
	}
	return 0;
}

static int open_image(const struct read_run *run, uint64_t at, struct segment_reader *ret)
{
	const struct sparse *image = ended_image(run->ended, at);

	return image ? segment_reader_open_image(ret, image, run->page.token) : -EINVAL;
}

int read_open_file(const struct read_run *run, uint32_t number,
		   struct segment_reader *ret)
{
	struct read_file *file = &run->files[number];
	int result;

	if (file->ended_at)
		return open_image(run, file->ended_at, ret);
	result = segment_reader_open(ret, run->directory_fd, file->name, run->page.token);
	if (result != -ENOENT || !run->ended || !file->start_ticks)
		return result;
	file->ended_at = find_ended(run->ended, file);
	return file->ended_at ? open_image(run, file->ended_at, ret) : result;
}

/* Notes the start of the image's first process, which is in slot 1. */
static void note_start(struct read_file *file, const struct segment_reader *reader)
{
	(void)segment_reader_bytes(reader, 1,
				   offsetof(struct segment_process, start_ticks),
				   &file->start_ticks, sizeof(file->start_ticks));
}

static void read_slots(struct read_run *run, const struct segment_reader *reader,
		       uint32_t file)
{
	int result = 0;

	note_start(&run->files[file], reader);
	run->spool_bytes += reader->allocated_bytes;
	for (uint32_t i = 1; i < reader->slot_count && result != -ENODATA; i++) {
		result = read_slot(run, reader, file, i);
		if (result < 0)
			run->damaged_count++;
	}
}

/* 0, or -errno: the file is not (yet) one of the run, or there are no descriptors. */
static int read_file(struct read_run *run, uint32_t file)
{
	struct segment_reader reader;
	int result = read_open_file(run, file, &reader);

	if (result < 0)
		return result == -EMFILE || result == -ENFILE || result == -ENOENT ||
				       result == -EAGAIN
			       ? result
			       : -EINVAL;
	read_slots(run, &reader, file);
	segment_reader_close(&reader);
	return 0;
}

void read_keep_begin(struct read_run *ret, const struct segment_run *page)
{
	*ret = (struct read_run){.directory_fd = -1, .page = *page};
	ret->module_files = xcalloc(1, sizeof(*ret->module_files));
}

void read_keep(struct read_run *kept, const struct sparse *image,
	       const struct ended_place *place)
{
	struct segment_reader reader;

	if (segment_reader_open_image(&reader, image, kept->page.token) < 0)
		return;
	add_ended(kept, place);
	read_slots(kept, &reader, (uint32_t)kept->file_count - 1);
	segment_reader_close(&reader);
}

/* Reads ended images, except those read from their file before it was removed. Comes
 * after the files, so that an image that ends meanwhile is in one or the other. */
static void read_ended(struct read_run *run)
{
	struct map known = {.count = 0};

	for (size_t i = 0; i < run->file_count; i++)
		map_number(&known, run->files[i].start_ticks, run->files[i].name_hash, 0,
			   NULL);
	ended_refresh(run->ended);
	for (size_t i = 0; i < run->ended->count; i++) {
		const struct ended_place *place = &run->ended->places[i];

		if (map_get(&known, place->start_ticks, place->name_hash, 0) != MAP_NONE)
			continue;
		add_ended(run, place);
		if (read_file(run, (uint32_t)run->file_count - 1) < 0)
			run->damaged_count++;
	}
	map_done(&known);
}

/* Counts listed files that were removed and are not among the ended images. */
static uint64_t count_missing(const struct read_run *run, const uint8_t *is_gone,
			      size_t count)
{
	uint64_t missing = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t hash = run->files[i].name_hash;
		size_t at = run->ended->count;

		while (is_gone[i] && at && run->ended->places[at - 1].name_hash != hash)
			at--;
		missing += is_gone[i] && !at;
	}
	return missing;
}

/* Reads the files from `first` on. -EMFILE or -ENFILE: there are no descriptors. */
static int read_files(struct read_run *run, size_t first, int with_ended)
{
	size_t count = run->file_count;
	auto_free uint8_t *is_gone = xcalloc(count + 1, sizeof(*is_gone));
	int result = 0;

	for (size_t i = first; result == 0 && i < count; i++) {
		result = read_file(run, (uint32_t)i);
		is_gone[i] = result == -ENOENT;
		run->damaged_count += result == -EINVAL;
		run->begun_count += result == -EAGAIN;
		if (result == -ENOENT || result == -EINVAL || result == -EAGAIN)
			result = 0;
	}
	if (result == 0 && with_ended)
		read_ended(run);
	if (result == 0)
		run->damaged_count += count_missing(run, is_gone, count);
	return result;
}

static int by_start(const void *a, const void *b)
{
	const struct read_process *left = a, *right = b;

	return ORDER_BY_4(left, right, start_ticks, file, slot, tenant);
}

/* Sorts the processes by time and makes the lanes point at them. Drops lanes whose
 * process is missing. */
static void sort_processes(struct read_run *run)
{
	struct map owners = {.count = 0}; /* by file and slot */
	size_t kept = 0;

	if (run->process_count)
		qsort(run->processes, run->process_count, sizeof(*run->processes),
		      by_start);
	for (size_t i = 0; i < run->process_count; i++) {
		struct read_process *process = &run->processes[i];

		if (!process->is_borrower)
			map_put(&owners, process->file, process->slot, 0, (uint32_t)i);
		process->names = run->names[process->file].names;
		process->name_count = run->names[process->file].count;
	}
	for (size_t i = 0; i < run->process_count; i++)
		run->processes[i].owner = map_get(&owners, run->processes[i].file,
						  run->processes[i].slot, 0);
	for (size_t i = 0; i < run->lane_count; i++) {
		struct read_lane lane = run->lanes[i];

		lane.process = map_get(&owners, lane.file, lane.process, 0);
		if (lane.process == MAP_NONE)
			run->damaged_count++;
		else
			run->lanes[kept++] = lane;
	}
	map_done(&owners);
	run->lane_count = kept;
}

/* Binary search: lanes are in the order of files and slots. */
int64_t read_find_lane(const struct read_run *run, uint32_t file, uint32_t slot)
{
	size_t low =
		COUNT_BEFORE(run->lane_count, i,
			     run->lanes[i].file < file || (run->lanes[i].file == file &&
							   run->lanes[i].slot < slot));

	return low < run->lane_count && run->lanes[low].file == file &&
			       run->lanes[low].slot == slot
		       ? (int64_t)low
		       : -1;
}

static int open_run(struct read_run *ret, const struct rundir *rundir,
		    struct read_run *kept, int with_ended, char *error, size_t error_size)
{
	struct segment_run page;
	int result = read_run_page(rundir, &page, error, error_size);
	size_t first;

	*ret = (struct read_run){.directory_fd = -1};
	if (result < 0)
		return result;
	if (kept && kept->module_files) {
		*ret = *kept;
		ret->page = page;
		*kept = (struct read_run){.directory_fd = -1};
	} else {
		read_keep_begin(ret, &page);
	}
	first = ret->file_count;
	if (read_run_state(rundir, &ret->page, &ret->state) < 0)
		ret->damaged_count++;
	read_sampling(rundir, ret->page.token, &ret->sampling);
	ret->ended = xcalloc(1, sizeof(*ret->ended));
	ret->ended->fd = -1;
	ret->directory_fd = fcntl(rundir->fd, F_DUPFD_CLOEXEC, 3);
	result = ret->directory_fd < 0 ? -errno : list_files(ret);
	if (result == 0 && ended_open(ret->ended, ret->directory_fd, ret->page.token) < 0)
		ret->damaged_count++;
	if (result == 0)
		result = read_files(ret, first, with_ended);
	if (result == 0) {
		sort_processes(ret);
		return 0;
	}
	snprintf(error, error_size, "cannot read the spool %s: %s", rundir->path,
		 strerror(-result));
	read_run_close(ret);
	return result;
}

int read_run_open(struct read_run *ret, const struct rundir *rundir,
		  struct read_run *kept, char *error, size_t error_size)
{
	return open_run(ret, rundir, kept, 1, error, error_size);
}

int read_run_open_files(struct read_run *ret, const struct rundir *rundir, char *error,
			size_t error_size)
{
	return open_run(ret, rundir, NULL, 0, error, error_size);
}

void read_run_close(struct read_run *run)
{
	for (size_t i = 0; i < run->file_count; i++) {
		free(run->files[i].name);
		free(run->names[i].names);
	}
	free(run->files);
	if (run->ended)
		ended_close(run->ended);
	free(run->ended);
	if (run->module_files)
		module_files_done(run->module_files);
	free(run->module_files);
	free(run->names);
	for (size_t i = 0; i < run->process_count; i++)
		read_process_done(&run->processes[i]);
	free(run->processes);
	free(run->lanes);
	if (run->directory_fd >= 0)
		close(run->directory_fd);
	*run = (struct read_run){.directory_fd = -1};
}
