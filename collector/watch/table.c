/* SPDX-License-Identifier: MIT */
/*
 * The entries of the run's processes: made, ended, and what is known of the first one.
 * Must not signal or wait for the processes.
 */
#include "collector/watch/table.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/xalloc.h"
#include "collector/processes/ticks.h"
#include "collector/watch/trim.h"

static int is_readable(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, 0) > 0;
}

void table_end(struct watch *watch, struct watch_process *process, enum watch_state state)
{
	if (table_is_over(process))
		return;
	process->state = state;
	if (process->pidfd >= 0)
		close(process->pidfd);
	process->pidfd = -1;
	watch->alive_count--;
	if (--watch->files[process->file].alive_count == 0)
		watch->files[process->file].over_ns = ticks_monotonic_ns();
	trim_process(watch->rundir->fd, watch->files[process->file].name, process->slot,
		     process->death.start_ticks);
}

int table_is_dead(int pidfd, int32_t pid, uint64_t start_time)
{
	return pidfd >= 0 ? is_readable(pidfd) : !liveness_check(pid, start_time);
}

/* How the first process ended, from the descriptor we have had from the start. */
struct exit_status table_first_status(const struct watch *watch)
{
	if (watch->first_is_dead)
		return watch->first_status;
	return liveness_exit_status(watch->first_pidfd, watch->run->first_pid, 0);
}

/* An entry may be another process's soon. */
static void keep_death(struct watch *watch, const struct ending_death *death)
{
	watch->deaths = array_room(watch->deaths, watch->death_count, sizeof(*death));
	watch->deaths[watch->death_count++] = *death;
}

void table_note_death(struct watch *watch, struct watch_process *process)
{
	process->death.monotonic_ns = ticks_monotonic_ns();
	if (process->pidfd < 0 && process->death.pid == watch->run->first_pid)
		process->death.status = table_first_status(watch);
	else
		process->death.status = liveness_exit_status(
			process->pidfd, process->death.pid, process->start_time);
	table_end(watch, process, WATCH_DEAD);
	keep_death(watch, &process->death);
}

/* The process that has the slot now. */
static void note_pid(struct watch_file *file, uint32_t slot, int32_t pid)
{
	while (file->pid_count <= slot) {
		file->pids = array_room(file->pids, file->pid_count, sizeof(*file->pids));
		file->pids[file->pid_count++] = 0;
	}
	file->pids[slot] = pid;
}

/* exec keeps pid and start time, and makes a new file. Files are found in any order, so
 * the image that started first is the one that is gone. */
static void replace_image(struct watch *watch, struct watch_process *image)
{
	for (size_t i = 0; i < watch->process_count; i++) {
		struct watch_process *other = &watch->processes[i];

		/* one that has moved into another file has begun once */
		if (other->death.pid == image->death.pid &&
		    other->start_time == image->start_time &&
		    other->file != image->file &&
		    other->death.start_ticks != image->death.start_ticks)
			table_end(watch,
				  other->death.start_ticks < image->death.start_ticks
					  ? other
					  : image,
				  WATCH_REPLACED);
	}
}

/* Entries looked at for one that is over: a shell's hundred thousand children are to need
 * no more entries than were alive at one time. */
#define ROOM_TRIES 8

void table_free(struct watch *watch, size_t index)
{
	watch->processes[index] =
		(struct watch_process){.state = WATCH_DEAD, .pidfd = -1};
	watch->free_entries = array_room(watch->free_entries, watch->free_count,
					 sizeof(*watch->free_entries));
	watch->free_entries[watch->free_count++] = index;
}

void table_list_files(struct watch *watch)
{
	map_done(&watch->file_map);
	for (size_t i = 0; i < watch->file_count; i++)
		if (watch->files[i].name)
			map_put(&watch->file_map, watch->files[i].inode, 0, 0,
				(uint32_t)i);
}

/* A clear entry. */
static struct watch_process *make_room(struct watch *watch, size_t file)
{
	if (watch->free_count) {
		size_t at = watch->free_entries[--watch->free_count];

		watch->processes[at] = (struct watch_process){.pidfd = -1};
		return &watch->processes[at];
	}
	for (int i = 0; i < ROOM_TRIES && i < (int)watch->process_count &&
			watch->files[file].reader.is_reused;
	     i++) {
		size_t at = watch->next_room++ % watch->process_count;
		struct watch_process *process = &watch->processes[at];

		if (process->is_forked && table_is_over(process) && process->death.pid &&
		    !process->is_other_user) {
			*process = (struct watch_process){.pidfd = -1};
			return process;
		}
	}
	watch->processes = array_room(watch->processes, watch->process_count,
				      sizeof(*watch->processes));
	return &watch->processes[watch->process_count++];
}

void table_add(struct watch *watch, size_t file, uint32_t slot,
	       const struct segment_process *header)
{
	struct watch_process *process = make_room(watch, file);

	process->file = file;
	process->is_forked = header->forked_from_slot != 0;
	process->slot = slot;
	process->start_time = header->start_time;
	if (!process->start_time)
		process->start_time =
			liveness_start_time(header->pid, watch->run->start_monotonic_ns,
					    ticks_monotonic_ns());
	process->death.pid = header->pid;
	process->death.start_ticks = header->start_ticks;
	process->pidfd = -1;
	resources_process_init(&process->resource, header->pid, header->start_ticks);
	note_pid(&watch->files[file], slot, header->pid);
	watch->alive_count++;
	watch->files[file].alive_count++;
	replace_image(watch, process);
	if (table_is_over(process))
		return;
	gpu_add_process(&watch->gpu, header->pid);
	process->pidfd = process->start_time || !liveness_proc_tells()
				 ? liveness_open(header->pid, process->start_time)
				 : -ESRCH;
	/* a first process that died at once is found dead with its first slot */
	if (process->pidfd == -ESRCH ||
	    table_is_dead(process->pidfd, header->pid, process->start_time))
		table_note_death(watch, process);
	else if (process->pidfd >= 0)
		bell_ring_when_dead(&watch->bell, process->pidfd);
}

static const struct watch_process *first_process(const struct watch *watch)
{
	for (size_t i = watch->process_count; i-- > 0;) {
		const struct watch_process *process = &watch->processes[i];

		if (process->death.pid == watch->run->first_pid &&
		    process->state != WATCH_REPLACED)
			return process;
	}
	return NULL;
}

/* By both descriptors: its entry may have been made when it was dead already. */
int table_first_is_dead(const struct watch *watch)
{
	const struct watch_process *first = first_process(watch);

	return watch->first_is_dead && (!first || table_is_over(first));
}

int table_first_is_exiting(const struct watch *watch)
{
	const struct watch_process *first = first_process(watch);

	return table_first_is_dead(watch) || (first && first->state != WATCH_RUNNING);
}

size_t table_others_alive(const struct watch *watch)
{
	const struct watch_process *first = first_process(watch);

	return watch->alive_count + watch->newborn_count -
	       (first && !table_is_over(first));
}

struct ingest_user *table_other_users(const struct watch *watch, size_t *ret_count)
{
	struct ingest_user *users = xcalloc(watch->process_count, sizeof(*users));
	size_t count = 0;

	for (size_t i = 0; i < watch->process_count; i++) {
		const struct watch_process *process = &watch->processes[i];

		if (process->is_other_user)
			users[count++] = (struct ingest_user){process->death.pid,
							      process->death.start_ticks};
	}
	*ret_count = count;
	return users;
}
