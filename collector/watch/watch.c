/* SPDX-License-Identifier: MIT */
/*
 * Finding, watching and sampling the processes of a run. Runs on: the collector's main
 * thread, ring_for_deaths() in its own. Must not signal, stop or wait for the processes.
 *
 * The bell thread knows nothing but the epoll set: each pidfd fires once (ONESHOT) and
 * makes it ring; the main thread then asks all pidfds itself. So the two threads share
 * no data.
 */
#include "collector/watch/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/xalloc.h"
#include "collector/read/segment_file.h"
#include "collector/processes/ticks.h"
#include "collector/watch/trim.h"

/* Thread names are looked up in every tenth round of samples. */
#define NAME_ROUNDS 10

#define GPU_FIRST_ROUND 2

#define LATE_SLOT_NS 1000000000ull

#define SLOTS_AT_ONCE 64u

void watch_ring(struct segment_state *shared)
{
	/* release: what was changed before is seen by whoever saw the bell */
	__atomic_fetch_add(&shared->doorbell, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &shared->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void watch_wait(struct segment_state *shared, uint32_t seen, uint64_t timeout_ns)
{
	struct timespec timeout = {(time_t)(timeout_ns / 1000000000u),
				   (long)(timeout_ns % 1000000000u)};

	syscall(SYS_futex, &shared->doorbell, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

static void *ring_for_deaths(void *argument)
{
	struct watch *watch = argument;
	struct epoll_event event;

	for (;;) {
		if (epoll_wait(watch->epoll_fd, &event, 1, -1) > 0)
			watch_ring(watch->shared);
	}
	return NULL;
}

void watch_ring_when_dead(struct watch *watch, int pidfd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};

	/* without it the death is noticed within 100 ms */
	epoll_ctl(watch->epoll_fd, EPOLL_CTL_ADD, pidfd, &event);
}

int watch_init(struct watch *watch, struct rundir *rundir, const struct segment_run *run,
	       struct segment_state *shared)
{
	*watch = (struct watch){.rundir = rundir, .run = run, .shared = shared};
	resources_init(&watch->resources);
	gpu_init(&watch->gpu);
	watch->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (watch->epoll_fd < 0)
		return -errno;
	watch->first_pidfd = alive_inherited(WATCH_INHERITED_FD);
	if (watch->first_pidfd < 0)
		watch->first_pidfd = alive_open(run->first_pid, 0);
	watch->first_is_dead = watch->first_pidfd == -ESRCH;
	if (watch->first_pidfd >= 0)
		watch_ring_when_dead(watch, watch->first_pidfd);
	return -pthread_create(&watch->bell_thread, NULL, ring_for_deaths, watch);
}

static void add_file(struct watch *watch, const struct dirent *entry)
{
	size_t index = watch->file_count++;
	struct watch_file *file;

	watch->files = array_room(watch->files, index, sizeof(*file));
	file = &watch->files[index];
	file->slot_count = 1;
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

/* A pidfd is readable once its process is dead. */
static int is_readable(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, 0) > 0;
}

static void end_process(struct watch *watch, struct watch_process *process,
			enum watch_state state)
{
	if (watch_is_over(process))
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

int watch_is_dead(int pidfd, int32_t pid, uint64_t start_time)
{
	return pidfd >= 0 ? is_readable(pidfd) : !alive_check(pid, start_time);
}

/* How the first process ended, from the descriptor we have had from the start. */
static struct exit_status first_status(const struct watch *watch)
{
	if (watch->first_is_dead)
		return watch->first_status;
	return alive_exit_status(watch->first_pidfd, watch->run->first_pid, 0);
}

/* An entry may be another process's soon. */
static void keep_death(struct watch *watch, const struct fate_death *death)
{
	watch->deaths = array_room(watch->deaths, watch->death_count, sizeof(*death));
	watch->deaths[watch->death_count++] = *death;
}

static void note_death(struct watch *watch, struct watch_process *process)
{
	process->death.monotonic_ns = ticks_monotonic_ns();
	if (process->pidfd < 0 && process->death.pid == watch->run->first_pid)
		process->death.status = first_status(watch);
	else
		process->death.status = alive_exit_status(
			process->pidfd, process->death.pid, process->start_time);
	end_process(watch, process, WATCH_DEAD);
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
			end_process(watch,
				    other->death.start_ticks < image->death.start_ticks
					    ? other
					    : image,
				    WATCH_REPLACED);
	}
}

/* Entries looked at for one that is over: a shell's hundred thousand children are to need
 * no more entries than were alive at one time. */
#define ROOM_TRIES 8

/* A clear entry. */
static struct watch_process *make_room(struct watch *watch, size_t file)
{
	for (int i = 0; i < ROOM_TRIES && i < (int)watch->process_count &&
			watch->files[file].reader.is_reused;
	     i++) {
		size_t at = watch->next_room++ % watch->process_count;
		struct watch_process *process = &watch->processes[at];

		if (process->is_forked && watch_is_over(process) &&
		    !process->is_other_user) {
			*process = (struct watch_process){.pidfd = -1};
			return process;
		}
	}
	watch->processes = array_room(watch->processes, watch->process_count,
				      sizeof(*watch->processes));
	return &watch->processes[watch->process_count++];
}

static void add_process(struct watch *watch, size_t file, uint32_t slot,
			const struct segment_process *header)
{
	struct watch_process *process = make_room(watch, file);

	process->file = file;
	process->is_forked = header->forked_from_slot != 0;
	process->slot = slot;
	process->start_time = header->start_time;
	if (!process->start_time)
		process->start_time =
			alive_start_time(header->pid, watch->run->start_monotonic_ns,
					 ticks_monotonic_ns());
	process->death.pid = header->pid;
	process->death.start_ticks = header->start_ticks;
	process->pidfd = -1;
	resources_process_init(&process->resource, header->pid, header->start_ticks);
	note_pid(&watch->files[file], slot, header->pid);
	watch->alive_count++;
	watch->files[file].alive_count++;
	replace_image(watch, process);
	if (watch_is_over(process))
		return;
	gpu_add_process(&watch->gpu, header->pid);
	process->pidfd = process->start_time || !alive_proc_tells()
				 ? alive_open(header->pid, process->start_time)
				 : -ESRCH;
	/* a first process that died at once is found dead with its first slot */
	if (process->pidfd == -ESRCH ||
	    watch_is_dead(process->pidfd, header->pid, process->start_time))
		note_death(watch, process);
	else if (process->pidfd >= 0)
		watch_ring_when_dead(watch, process->pidfd);
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
			add_process(watch, file, i, &header);
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
		add_process(watch, file, number, &header);
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
		process->is_other_user = !alive_can_be(process->death.pid, geteuid());
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

		if (process->file != file || watch_is_over(process))
			continue;
		if (has_moved(reader, process)) {
			end_process(watch, process, WATCH_REPLACED);
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
		resources_thread_names(&watch->resources, process->death.pid);
		look_at_user(process);
	}
}

/* Nothing changes in a file whose processes are all over, but for a child that was forked
 * just before and has not had a CPU since to take its slot: a daemon's, on a busy
 * machine. A new file has no process yet. */
static int needs_look(const struct watch *watch, const struct watch_file *file)
{
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
	    watch_is_dead(watch->first_pidfd, watch->run->first_pid, 0)) {
		watch->first_status = first_status(watch);
		watch->first_is_dead = 1;
		if (watch->first_pidfd >= 0)
			close(watch->first_pidfd);
		watch->first_pidfd = -1;
	}
	for (size_t i = 0; i < watch->process_count; i++) {
		struct watch_process *process = &watch->processes[i];

		if (!watch_is_over(process) &&
		    watch_is_dead(process->pidfd, process->death.pid,
				  process->start_time))
			note_death(watch, process);
	}
}

static void sample(struct watch *watch)
{
	uint64_t now = ticks_monotonic_ns();

	if (!resources_round_begin(&watch->resources, now))
		return;
	for (size_t i = 0; i < watch->process_count; i++) {
		struct watch_process *process = &watch->processes[i];

		if (watch_is_over(process))
			continue;
		resources_sample(&watch->resources, &process->resource);
		if (watch->resources.round % NAME_ROUNDS == 1)
			resources_thread_names(&watch->resources, process->death.pid);
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
		watch_drop_newborns(watch);
	sample(watch);
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
int watch_first_is_dead(const struct watch *watch)
{
	const struct watch_process *first = first_process(watch);

	return watch->first_is_dead && (!first || watch_is_over(first));
}

int watch_first_is_exiting(const struct watch *watch)
{
	const struct watch_process *first = first_process(watch);

	return watch_first_is_dead(watch) || (first && first->state != WATCH_RUNNING);
}

size_t watch_others_alive(const struct watch *watch)
{
	const struct watch_process *first = first_process(watch);

	return watch->alive_count + watch->newborn_count -
	       (first && !watch_is_over(first));
}

struct ingest_user *watch_other_users(const struct watch *watch, size_t *ret_count)
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
