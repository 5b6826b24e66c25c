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
#include "collector/read/tenants.h"
#include "collector/read/segment_file.h"

#define END_STRING(array) ((array)[sizeof(array) - 1] = 0)

static int page_error(int result, char *error, size_t error_size,
		      const struct rundir *rundir, const char *what)
{
	snprintf(error, error_size, "%s/%s %s", rundir->path, SEGMENT_RUN_NAME, what);
	return result;
}

static void end_strings(struct segment_run *page)
{
	END_STRING(page->boot_id);
	END_STRING(page->level);
	END_STRING(page->shim_version);
	END_STRING(page->label);
	END_STRING(page->host);
	END_STRING(page->job.name);
	END_STRING(page->setting_ignored);
	END_STRING(page->output);
	END_STRING(page->cwd);
}

int read_run_page(const struct rundir *rundir, struct segment_run *ret, char *error,
		  size_t error_size)
{
	ssize_t size;
	int fd = rundir_open_file(rundir->fd, SEGMENT_RUN_NAME, O_RDONLY);

	if (fd == -EPERM)
		return page_error(fd, error, error_size, rundir,
				  "is not a plain file of its owner alone; remove the "
				  "directory");
	if (fd < 0) {
		snprintf(error, error_size, "cannot open %s/%s: %s", rundir->path,
			 SEGMENT_RUN_NAME, strerror(-fd));
		return fd;
	}
	*ret = (struct segment_run){.magic = 0};
	size = pread(fd, ret, sizeof(*ret), 0);
	close(fd);
	if (size < (ssize_t)offsetof(struct segment_run, token))
		return page_error(-EINVAL, error, error_size, rundir,
				  "is cut short: the run was never begun; remove the "
				  "directory");
	if (ret->magic != SEGMENT_MAGIC_RUN)
		return page_error(-EINVAL, error, error_size, rundir,
				  "is not the record of a run; remove the directory");
	if (ret->version != SEGMENT_VERSION || ret->size != sizeof(*ret))
		return page_error(
			-EINVAL, error, error_size, rundir,
			"was written by another version of profshim; collect it "
			"with that version");
	if (size < (ssize_t)sizeof(*ret))
		return page_error(-EINVAL, error, error_size, rundir,
				  "is cut short: the run was never begun; remove the "
				  "directory");
	end_strings(ret);
	return 0;
}

int read_run_state(const struct rundir *rundir, const struct segment_run *page,
		   struct segment_state *ret)
{
	int fd = rundir_open_file(rundir->fd, SEGMENT_STATE_NAME, O_RDONLY);
	ssize_t size;

	*ret = (struct segment_state){.magic = 0};
	if (fd < 0)
		return fd;
	size = pread(fd, ret, sizeof(*ret), 0);
	close(fd);
	if (size == (ssize_t)sizeof(*ret) && ret->magic == SEGMENT_MAGIC_STATE &&
	    ret->token == page->token)
		return 0;
	*ret = (struct segment_state){.magic = 0};
	return -EINVAL;
}

static int is_segment_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SEGMENT_FILE_SUFFIX);

	return length > suffix &&
	       strcmp(name + length - suffix, SEGMENT_FILE_SUFFIX) == 0;
}

static int add_file(struct read_run *run, const char *name)
{
	char **files = array_room(run->files, run->file_count, sizeof(*files));
	struct read_names *names;

	if (!files)
		return -ENOMEM;
	run->files = files;
	names = array_room(run->names, run->file_count, sizeof(*names));
	if (!names)
		return -ENOMEM;
	run->names = names;
	files[run->file_count] = strdup(name);
	if (!files[run->file_count])
		return -ENOMEM;
	run->file_count++;
	return 0;
}

static int list_files(struct read_run *run)
{
	int fd = fcntl(run->directory_fd, F_DUPFD_CLOEXEC, 0);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int result = 0;

	if (!directory) {
		result = -errno;
		if (fd >= 0)
			close(fd);
		return result;
	}
	rewinddir(directory);
	while (result == 0 && (entry = readdir(directory))) {
		if (is_segment_name(entry->d_name))
			result = add_file(run, entry->d_name);
	}
	closedir(directory);
	return result;
}

static void process_done(struct read_process *process)
{
	if (process->is_borrower)
		return;
	free(process->executable);
	free(process->command);
	free(process->modules);
	free(process->all_threads);
	free(process->sites);
	free(process->left);
	read_book_done(&process->book);
}

static void copy_facts(struct read_process *to, const struct segment_process *from)
{
	to->pid = from->pid;
	to->parent_pid = from->parent_pid;
	to->state = from->state;
	to->exit_code = from->exit_code;
	to->forked_from_slot = from->forked_from_slot;
	to->forked_from_tenant = from->forked_from_tenant;
	to->notes = from->notes;
	to->start_ticks = from->start_ticks;
	to->end_ticks = from->end_ticks;
	to->start_time = from->start_time;
	to->peak_bytes = from->peak_bytes;
	to->live_bytes = from->below_peak < from->peak_bytes
				 ? from->peak_bytes - from->below_peak
				 : 0;
	to->peak_generation = from->peak_generation;
	memcpy(to->counters, from->counters, sizeof(to->counters));
}

static int copy_strings(struct read_process *to, struct segment_process *from)
{
	uint32_t size = from->command_size;

	END_STRING(from->executable);
	END_STRING(from->command);
	END_STRING(from->job.name);
	to->job = from->job;
	if (size > sizeof(from->command))
		size = sizeof(from->command);
	to->executable = strdup(from->executable);
	to->command = malloc(size + 1u);
	if (!to->executable || !to->command)
		return -ENOMEM;
	memcpy(to->command, from->command, size);
	to->command[size] = 0;
	to->command_size = size;
	return 0;
}

static uint32_t lesser(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

static int copy_arrays(struct read_process *to, const struct segment_process *from,
		       const struct segment_reader *reader, uint32_t node_limit)
{
	uint32_t first_site = from->first_site ? from->first_site : 1;
	struct segment_array modules = {
		from->module_offset, sizeof(*to->modules), 0, from->module_count,
		lesser(from->module_capacity, SEGMENT_MODULE_LIMIT)};
	struct segment_array threads = {
		from->thread_offset, sizeof(*to->threads), 0, from->thread_count,
		lesser(from->thread_capacity, SEGMENT_THREAD_LIMIT)};
	struct segment_array sites = {
		from->site_offset, sizeof(*to->sites), first_site, from->site_count,
		lesser(from->site_capacity, (uint64_t)first_site + node_limit)};
	struct segment_array left = {from->left_offset, sizeof(*to->left), first_site,
				     lesser(from->left_committed, from->site_count),
				     sites.capacity};
	int result = 0;

	to->modules = segment_reader_array(reader, to->slot, &modules, &to->module_count,
					   &result);
	to->all_threads = segment_reader_array(reader, to->slot, &threads,
					       &to->thread_count, &result);
	to->threads = to->all_threads;
	to->sites =
		segment_reader_array(reader, to->slot, &sites, &to->site_count, &result);
	to->left =
		segment_reader_array(reader, to->slot, &left, &to->left_count, &result);
	to->first_site = sites.first;
	for (uint32_t i = 0; i < to->module_count; i++) {
		struct segment_module *module = &to->modules[i];

		END_STRING(module->path);
		if (module->build_id_size > sizeof(module->build_id))
			module->build_id_size = 0;
	}
	for (uint32_t i = 0; i < to->thread_count; i++)
		END_STRING(to->threads[i].name);
	return result;
}

/* Reads a process slot and appends it. -EINVAL: damaged. */
static int read_process(struct read_run *run, const struct segment_reader *reader,
			uint32_t file, uint32_t slot)
{
	struct segment_process header;
	struct read_process *process, *processes;
	int result;

	if (read_tenants_header(reader, slot, &header) < 0)
		return -EINVAL;
	processes = array_room(run->processes, run->process_count, sizeof(*process));
	if (!processes)
		return -ENOMEM;
	run->processes = processes;
	process = &processes[run->process_count++];
	process->file = file;
	process->slot = slot;
	copy_facts(process, &header);
	result = copy_strings(process, &header);
	if (result == 0)
		result = copy_arrays(process, &header, reader,
				     read_node_limit(&run->page));
	if (result == 0 && header.book_slot) {
		result = read_book(reader, header.book_slot, slot,
				   header.snapshot_interval, &process->book);
		if (result == -EINVAL) { /* the process itself is fine */
			read_book_done(&process->book);
			run->damaged_count++;
			result = 0;
		}
	}
	return result < 0 ? result : read_tenants(run, reader, &header);
}

/* Until sort_processes() has run, a lane's process is its slot. */
static int note_lane(struct read_run *run, uint32_t file, uint32_t slot,
		     uint32_t process_slot)
{
	struct read_lane *lanes = array_room(run->lanes, run->lane_count, sizeof(*lanes));

	if (!lanes)
		return -ENOMEM;
	run->lanes = lanes;
	lanes[run->lane_count++] = (struct read_lane){file, slot, process_slot};
	return 0;
}

/* A file has one table at most; a second one is somebody's who came too late. */
static int read_names(struct read_run *run, const struct segment_reader *reader,
		      uint32_t file, uint32_t slot)
{
	struct segment_array array = {offsetof(struct segment_names, names),
				      sizeof(struct segment_name), 0, 0,
				      SEGMENT_NAME_LIMIT};
	struct read_names *to = &run->names[file];
	struct segment_names header;
	int result = 0;

	if (slot != reader->name_slot)
		return 0;
	if (segment_reader_bytes(reader, slot, 0, &header,
				 offsetof(struct segment_names, names)) < 0 ||
	    header.magic != SEGMENT_MAGIC_NAMES || to->names)
		return -EINVAL;
	array.count = header.count;
	to->names = segment_reader_array(reader, slot, &array, &to->count, &result);
	for (uint32_t i = 0; i < to->count; i++) {
		END_STRING(to->names[i].component);
		END_STRING(to->names[i].name);
	}
	return result;
}

static int read_file(struct read_run *run, uint32_t file)
{
	struct segment_reader reader;
	int result;

	result = segment_reader_open(&reader, run->directory_fd, run->files[file],
				     run->page.token);
	if (result < 0)
		return result == -EMFILE || result == -ENFILE ? result : -EINVAL;
	run->spool_bytes += reader.allocated_bytes;
	for (uint32_t i = 1; i < reader.slot_count; i++) {
		struct segment_slot slot;

		result = segment_reader_slot(&reader, i, &slot);
		if (result < 0)
			break;
		if (slot.kind == SEGMENT_SLOT_PROCESS)
			result = read_process(run, &reader, file, i);
		else if (slot.kind == SEGMENT_SLOT_LANE)
			result = note_lane(run, file, i, slot.process_slot);
		else if (slot.kind == SEGMENT_SLOT_NAMES)
			result = read_names(run, &reader, file, i);
		else if (slot.kind != SEGMENT_SLOT_FREE &&
			 slot.kind != SEGMENT_SLOT_BOOK &&
			 slot.kind != SEGMENT_SLOT_ELSEWHERE)
			result = -EINVAL;
		if (result == -EINVAL)
			run->damaged_count++;
		else if (result < 0)
			break;
	}
	segment_reader_close(&reader);
	return result == -ENOMEM ? result : 0;
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
static int sort_processes(struct read_run *run)
{
	struct place *places = calloc(run->process_count + 1, sizeof(*places));
	size_t owners = 0, kept = 0;

	if (!places)
		return -ENOMEM;
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
	return 0;
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
	ret->directory_fd = fcntl(rundir->fd, F_DUPFD_CLOEXEC, 3);
	result = ret->directory_fd < 0 ? -errno : list_files(ret);
	for (uint32_t i = 0; result == 0 && i < ret->file_count; i++) {
		result = read_file(ret, i);
		if (result == -EINVAL) {
			ret->damaged_count++;
			result = 0;
		}
	}
	if (result == 0)
		result = sort_processes(ret);
	if (result == 0)
		return 0;
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
	for (size_t i = 0; i < run->process_count; i++)
		process_done(&run->processes[i]);
	free(run->processes);
	free(run->lanes);
	if (run->directory_fd >= 0)
		close(run->directory_fd);
	*run = (struct read_run){.directory_fd = -1};
}
