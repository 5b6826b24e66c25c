/* SPDX-License-Identifier: MIT */
/*
 * The table of the run's processes: entries made and ended, the doorbell rung when a
 * process dies, and the disk space that an ended process never used given back. Must
 * not signal or wait for the processes.
 */
#include "collector/watch/table.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/processes/ticks.h"
#include "common/arrays.h"
#include "common/base/xalloc.h"

void bell_ring(struct segment_state *shared)
{
	/* release: what was changed before is seen by whoever saw the bell */
	__atomic_fetch_add(&shared->doorbell, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &shared->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void bell_wait(struct segment_state *shared, uint32_t seen, uint64_t timeout_ns)
{
	struct timespec timeout = {(time_t)(timeout_ns / 1000000000u),
				   (long)(timeout_ns % 1000000000u)};

	syscall(SYS_futex, &shared->doorbell, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

static void *ring_for_deaths(void *argument)
{
	const struct bell *bell = argument;
	struct epoll_event event;

	for (;;) {
		if (epoll_wait(bell->epoll_fd, &event, 1, -1) > 0)
			bell_ring(bell->shared);
	}
	return NULL;
}

int bell_start(struct bell *bell, struct segment_state *shared)
{
	bell->shared = shared;
	bell->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (bell->epoll_fd < 0)
		return -errno;
	return -pthread_create(&bell->thread, NULL, ring_for_deaths, bell);
}

void bell_ring_when_dead(const struct bell *bell, int pidfd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};

	/* without it the death is noticed within 100 ms */
	epoll_ctl(bell->epoll_fd, EPOLL_CTL_ADD, pidfd, &event);
}

/*
 * Gives back the disk space that an ended process reserved and never used. Must not
 * touch what a living process writes, or anything that was recorded.
 *
 * A process reserves room for its arrays in steps, some 800 KiB for the shortest one. A
 * build or a configure script starts thousands of processes, and the spool keeps them all
 * until the run ends.
 */

#define PAGE_BYTES 4096ull

/* Lanes are looked for in this many slots behind the process: its first ones. A table of
 * 16,384 slots is not searched for each of thousands of forked children. */
#define NEAR_SLOTS 32

static void punch(const struct segment_reader *reader, uint32_t slot, uint64_t first,
		  uint64_t end)
{
	uint64_t start = slot * reader->slot_size;

	first = (first + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	end &= ~(PAGE_BYTES - 1);
	if (first < end)
		(void)fallocate(reader->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)(start + first), (off_t)(end - first));
}

/* What lies behind the used part of each array. */
static void trim_slot(const struct segment_reader *reader, uint32_t slot, uint32_t kind)
{
	int is_lane = kind == SEGMENT_SLOT_LANE;
	struct segment_array array;
	union {
		uint64_t magic;
		struct segment_process process;
		struct segment_lane lane;
	} header;

	if (!is_lane && kind != SEGMENT_SLOT_PROCESS)
		return;
	if (segment_reader_bytes(reader, slot, 0, &header,
				 is_lane ? sizeof(header.lane) : sizeof(header.process)) <
		    0 ||
	    header.magic != (is_lane ? SEGMENT_MAGIC_LANE : SEGMENT_MAGIC_PROCESS))
		return;
	if (is_lane &&
	    header.lane.fibers.count) /* the end of the frames is coroutines' */
		header.lane.frames.count = header.lane.frames.capacity;
	for (uint32_t i = 0; i < ARRAY_COUNT; i++) {
		uint64_t entry_bytes = array_kinds[i].entry_bytes;

		if (array_kinds[i].slot_kind == kind &&
		    arrays_read(&header, i, reader->slot_size, &array) == 0)
			punch(reader, slot, array.offset + array.count * entry_bytes,
			      array.offset + array.capacity * entry_bytes);
	}
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

/* Punches holes behind the used part of the arrays of the process that has had `slot` of
 * the file since start_ticks, and of its lanes in the slots that follow; not when another
 * process has the slot, or may have it (common/segment.h, SLOTS ARE USED AGAIN). Does
 * what can be done: a file system without holes loses nothing. */
static void trim_process(int directory_fd, const char *file, uint32_t slot,
			 uint64_t start_ticks)
{
	struct segment_reader reader = {
		.fd = rundir_open_file(directory_fd, file, O_RDWR)};
	struct segment_slot slots[NEAR_SLOTS];
	uint32_t count = 0;

	if (reader.fd < 0)
		return;
	if (segment_reader_refresh(&reader) == 0 &&
	    is_its_own(&reader, slot, start_ticks))
		count = segment_reader_slots(&reader, slot, NEAR_SLOTS, slots);
	for (uint32_t i = 0; i < count; i++)
		if (slots[i].process_slot == slot)
			trim_slot(&reader, slot + i, slots[i].kind);
	segment_reader_close(&reader);
}

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
	live_snapshot_forget(&process->interval.memory);
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
struct wait_status table_first_status(const struct watch *watch)
{
	if (watch->first_is_dead)
		return watch->first_status;
	return liveness_exit_status(watch->first_pidfd, watch->run->first_pid, 0);
}

/* An entry may be another process's soon. */
static void keep_death(struct watch *watch, const struct ending_death *death)
{
	ARRAY_ADD(watch->deaths, watch->death_count) = *death;
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
		ARRAY_ADD(file->pids, file->pid_count) = 0;
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
	ARRAY_ADD(watch->free_entries, watch->free_count) = index;
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
	return &ARRAY_ADD(watch->processes, watch->process_count);
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
