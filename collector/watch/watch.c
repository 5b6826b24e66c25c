/* SPDX-License-Identifier: MIT */
/*
 * Finding, watching and sampling the processes of a run. Must not signal, stop or wait
 * for the processes.
 */
#include "collector/watch/table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "collector/processes/ticks.h"
#include "collector/read/segment_file.h"
#include "common/base/xalloc.h"

static int is_known(const struct watch *watch, int32_t pid)
{
	for (size_t i = 0; i < watch->process_count; i++) {
		if (watch->processes[i].death.pid == pid &&
		    !table_is_over(&watch->processes[i]))
			return 1;
	}
	return 0;
}

/*
 * Forgets newborns that have a slot now, are dead, or run another program. A newborn
 * is one until it has a slot, is dead, or is another program by exec.
 */
static void newborn_drop(struct watch *watch)
{
	size_t kept = 0;

	for (size_t i = 0; i < watch->newborn_count; i++) {
		struct watch_newborn newborn = watch->newborns[i];

		if (!is_known(watch, newborn.pid) &&
		    !table_is_dead(newborn.pidfd, newborn.pid, 0) &&
		    liveness_is_user(newborn.pid, watch->rundir->path))
			watch->newborns[kept++] = newborn;
		else if (newborn.pidfd >= 0)
			close(newborn.pidfd);
	}
	watch->newborn_count = kept;
}

size_t newborn_find(struct watch *watch)
{
	int32_t pids[WATCH_NEWBORN_LIMIT];
	size_t count =
		liveness_find_users(watch->rundir->path, watch->run->start_monotonic_ns,
				    pids, WATCH_NEWBORN_LIMIT);

	for (size_t i = 0; i < count && watch->newborn_count < WATCH_NEWBORN_LIMIT; i++) {
		struct watch_newborn *newborn = &watch->newborns[watch->newborn_count];

		newborn->pid = pids[i];
		newborn->pidfd = liveness_open(pids[i], 0);
		if (newborn->pidfd == -ESRCH)
			continue;
		if (newborn->pidfd >= 0)
			bell_ring_when_dead(&watch->bell, newborn->pidfd);
		watch->newborn_count++;
	}
	return watch->newborn_count;
}

/*
 * Finding the run's processes in segment files, watching them by pidfd, looking at them
 * in /proc. Runs on: the collector's main thread. Must not signal, stop or wait for the
 * processes.
 */

/* The descriptor, if open, at which the shim leaves us a pidfd of the first process: one
 * that dies at once is gone before we could open it ourselves. */
#define WATCH_INHERITED_FD 3

/* Thread names are looked up in every tenth round of samples. */
#define NAME_ROUNDS 10

#define GPU_FIRST_ROUND 2

#define LATE_SLOT_NS 1000000000ull

#define SLOTS_AT_ONCE 64u

int watch_init(struct watch *watch, struct rundir *rundir, const struct segment_run *run,
	       struct segment_state *shared)
{
	int result;

	*watch = (struct watch){
		.rundir = rundir, .run = run, .ended = {.fd = -1, .token = run->token}};
	read_keep_begin(&watch->kept, run);
	resources_init(&watch->resources);
	gpu_init(&watch->gpu);
	result = bell_start(&watch->bell, shared);
	if (result < 0)
		return result;
	watch->first_pidfd = liveness_inherited(WATCH_INHERITED_FD);
	if (watch->first_pidfd < 0)
		watch->first_pidfd = liveness_open(run->first_pid, 0);
	watch->first_is_dead = watch->first_pidfd == -ESRCH;
	if (watch->first_pidfd >= 0)
		bell_ring_when_dead(&watch->bell, watch->first_pidfd);
	return 0;
}

static void add_file(struct watch *watch, const struct dirent *entry)
{
	size_t index = 0;
	struct watch_file *file;

	while (index < watch->file_count && watch->files[index].name)
		index++;
	if (index == watch->file_count)
		watch->files =
			array_room(watch->files, watch->file_count++, sizeof(*file));
	file = &watch->files[index];
	*file = (struct watch_file){.slot_count = 1, .inode = entry->d_ino};
	file->reader.fd = -1;
	file->name = xstrdup(entry->d_name);
	map_put(&watch->file_map, entry->d_ino, 0, 0, (uint32_t)index);
}

static void find_files(struct watch *watch)
{
	int fd = openat(watch->rundir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!directory) {
		watch->is_blind = 1;
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(directory))) {
		const char *suffix = strrchr(entry->d_name, '.');

		if (suffix && strcmp(suffix, SEGMENT_FILE_SUFFIX) == 0 &&
		    map_get(&watch->file_map, entry->d_ino, 0, 0) == MAP_NONE)
			add_file(watch, entry);
	}
	closedir(directory);
}

/* Looks at slots that were handed out since the last look. A slot that is still FREE is
 * looked at again next time, and so are those after it. */
static void find_processes(struct watch *watch, const struct segment_reader *reader,
			   size_t file)
{
	int is_settled = 1;

	for (uint32_t i = watch->files[file].slot_count; i < reader->slot_count; i++) {
		struct segment_process header;
		struct segment_slot slot;

		if (segment_reader_slot(reader, i, &slot) < 0)
			return;
		if (slot.kind == SEGMENT_SLOT_PROCESS &&
		    segment_reader_bytes(reader, i, 0, &header, sizeof(header)) == 0 &&
		    header.magic == SEGMENT_MAGIC_PROCESS)
			table_add(watch, file, i, &header);
		else if (slot.kind == SEGMENT_SLOT_FREE)
			is_settled = 0;
		if (is_settled)
			watch->files[file].slot_count = i + 1;
	}
}

static void look_for_successor(struct watch *watch, const struct segment_reader *reader,
			       size_t file, uint32_t number,
			       const struct segment_slot *slot)
{
	int32_t known = watch->files[file].pids[number];
	struct segment_process header;

	if (known && slot->pid != known &&
	    segment_reader_process(reader, number, &header) == 0 &&
	    !(header.tenancy & 1) && header.pid != known)
		table_add(watch, file, number, &header);
}

/* Slots that were looked at and have another process since. Whoever came and went since
 * the last look needs none. */
static void find_successors(struct watch *watch, const struct segment_reader *reader,
			    size_t file)
{
	struct segment_slot slots[SLOTS_AT_ONCE];
	uint32_t end = watch->files[file].pid_count, count = SLOTS_AT_ONCE;

	for (uint32_t first = 0; reader->is_reused && first < end && count;
	     first += count) {
		count = end - first < SLOTS_AT_ONCE ? end - first : SLOTS_AT_ONCE;
		count = segment_reader_slots(reader, first, count, slots);
		for (uint32_t i = 0; i < count; i++)
			look_for_successor(watch, reader, file, first + i, &slots[i]);
	}
}

static void read_own_faults(struct watch_process *process,
			    const struct segment_reader *reader)
{
	uint64_t counters[SEGMENT_PROCESS_COUNTERS];

	if (segment_reader_bytes(reader, process->slot,
				 offsetof(struct segment_process, counters), counters,
				 sizeof(counters)) == 0)
		process->resource.own_major_faults =
			counters[SEGMENT_COUNTER_OWN_MAJOR_FAULTS];
}

static void look_at_user(struct watch_process *process)
{
	if (!process->is_other_user)
		process->is_other_user = !liveness_can_be(process->death.pid, geteuid());
}

/* Into a file of its own, where it is found as another entry. Told by the file it has
 * left, which it cannot write any longer. */
static int has_moved(const struct segment_reader *reader,
		     const struct watch_process *process)
{
	struct segment_slot slot;

	return segment_reader_slot(reader, process->slot, &slot) == 0 &&
	       slot.kind == SEGMENT_SLOT_ELSEWHERE && slot.pid == process->death.pid;
}

static int is_its_slot(const struct watch_process *process,
		       const struct segment_reader *reader)
{
	int32_t pid;

	return segment_reader_bytes(reader, process->slot,
				    offsetof(struct segment_process, pid), &pid,
				    sizeof(pid)) == 0 &&
	       pid == process->death.pid;
}

static void find_exits(struct watch *watch, const struct segment_reader *reader,
		       size_t file)
{
	for (size_t i = 0; i < watch->process_count; i++) {
		struct watch_process *process = &watch->processes[i];
		uint32_t state;

		if (process->file != file || table_is_over(process))
			continue;
		if (has_moved(reader, process)) {
			table_end(watch, process, WATCH_REPLACED);
			continue;
		}
		if (process->state != WATCH_RUNNING || process->has_left)
			continue;
		if (reader->is_reused && process->is_forked &&
		    !is_its_slot(process, reader)) {
			process->has_left = 1;
			continue;
		}
		read_own_faults(process, reader);
		if (segment_reader_bytes(reader, process->slot,
					 offsetof(struct segment_process, state), &state,
					 sizeof(state)) < 0 ||
		    state != SEGMENT_PROCESS_EXITING)
			continue;
		process->state = WATCH_EXITING;
		resources_sample(&watch->resources, &process->resource);
		resources_note_threads(&watch->resources, process->death.pid);
		look_at_user(process);
	}
}

/* Nothing changes in a file whose processes are all over, but for a child that was forked
 * just before and has not had a CPU since to take its slot: a daemon's, on a busy
 * machine. A new file has no process yet. */
static int needs_look(const struct watch *watch, const struct watch_file *file)
{
	if (!file->name)
		return 0;
	return file->alive_count || file->slot_count == 1 || watch->newborn_count ||
	       ticks_monotonic_ns() - file->over_ns < LATE_SLOT_NS;
}

static int open_file(struct watch *watch, struct watch_file *file)
{
	int result;

	if (file->reader.fd >= 0)
		return segment_reader_refresh(&file->reader);
	result = segment_reader_open(&file->reader, watch->rundir->fd, file->name,
				     watch->run->token);
	if (result == -EMFILE || result == -ENFILE)
		watch->is_blind = 1;
	return result;
}

static void look_into_files(struct watch *watch)
{
	for (size_t i = 0; i < watch->file_count; i++) {
		struct watch_file *file = &watch->files[i];

		/* one that is just being made is not whole yet */
		if (!needs_look(watch, file) || open_file(watch, file) < 0)
			continue;
		find_processes(watch, &file->reader, i);
		find_successors(watch, &file->reader, i);
		find_exits(watch, &file->reader, i);
		if (i >= WATCH_OPEN_LIMIT)
			segment_reader_close(&file->reader);
	}
}

static void find_deaths(struct watch *watch)
{
	if (!watch->first_is_dead &&
	    table_is_dead(watch->first_pidfd, watch->run->first_pid, 0)) {
		watch->first_status = table_first_status(watch);
		watch->first_is_dead = 1;
		if (watch->first_pidfd >= 0)
			close(watch->first_pidfd);
		watch->first_pidfd = -1;
	}
	for (size_t i = 0; i < watch->process_count; i++) {
		struct watch_process *process = &watch->processes[i];

		if (!table_is_over(process) &&
		    table_is_dead(process->pidfd, process->death.pid,
				  process->start_time))
			table_note_death(watch, process);
	}
}

static void sample(struct watch *watch)
{
	uint64_t now = ticks_monotonic_ns();

	if (!resources_round_begin(&watch->resources, now))
		return;
	for (size_t i = 0; i < watch->process_count; i++) {
		struct watch_process *process = &watch->processes[i];

		if (table_is_over(process))
			continue;
		resources_sample(&watch->resources, &process->resource);
		if (watch->resources.round % NAME_ROUNDS == 1)
			resources_note_threads(&watch->resources, process->death.pid);
		look_at_user(process);
	}
	resources_round_end(&watch->resources);
	/* a program that ends at once is not worth waking a GPU for */
	if (watch->resources.round >= GPU_FIRST_ROUND)
		gpu_start(&watch->gpu);
}

/* Deaths before files: what a process did before it died is in its file by then. */
void watch_update(struct watch *watch)
{
	watch->is_blind = 0;
	find_deaths(watch);
	find_files(watch);
	look_into_files(watch);
	if (watch->newborn_count)
		newborn_drop(watch);
	sample(watch);
}
