/* SPDX-License-Identifier: MIT */
/*
 * The collector's table of the run's processes: found in segment files, watched by
 * pidfd, looked at in /proc. Runs on: the collector's main thread; one thread of its own
 * rings the doorbell when a process dies. Must not signal, stop or wait for the
 * processes.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"
#include "collector/processes/fate.h"
#include "collector/watch/gpu.h"
#include "collector/ingest/ingest.h"
#include "common/base/map.h"
#include "collector/processes/resources.h"
#include "collector/read/rundir.h"
#include "collector/read/segment_file.h"

enum watch_state {
	WATCH_RUNNING,
	WATCH_EXITING,
	WATCH_REPLACED, /* its process has called exec: another entry goes on */
	WATCH_DEAD,
};

struct watch_file {
	char *name; /* owned */
	/* kept open, so that a file that somebody removes is not lost; fd -1: not open */
	struct segment_reader reader;
	uint32_t slot_count;  /* slots [1, slot_count) have been looked at */
	uint32_t alive_count; /* processes in it that are not over */
	uint64_t over_ns;     /* monotonic: when the last of them was over */
	int32_t *pids;	      /* owned; of the processes that have its slots */
	uint32_t pid_count;
};

struct watch_process {
	size_t file;
	uint32_t slot;
	enum watch_state state;
	int is_forked; /* its entry may be another's when it is over */
	int has_left;  /* its slot is another's */
	int pidfd;     /* < 0: over, or there is none and it has to be asked after */
	uint64_t start_time;
	struct fate_death death; /* pid and start_ticks always, the rest when dead */
	struct resource_process resource;
	int is_other_user; /* is not the files' owner any more, and cannot be again */
};

/* A process that maps files of the run but has not taken a slot yet: just forked. */
struct watch_newborn {
	int32_t pid;
	int pidfd; /* < 0: none */
};

#define WATCH_NEWBORN_LIMIT 64

/* Files kept open at most; those of further images are opened for each look. */
#define WATCH_OPEN_LIMIT 256

struct watch {
	struct rundir *rundir;	       /* borrowed */
	const struct segment_run *run; /* borrowed */
	struct segment_state *shared;  /* borrowed, mapped: for the doorbell */
	int epoll_fd;
	int first_pidfd; /* of the run's first process; < 0: none */
	int first_is_dead;
	int is_blind;			 /* the last look failed: no descriptors */
	struct exit_status first_status; /* when dead */
	struct watch_file *files;
	size_t file_count;
	struct map file_map; /* index of a file by its inode */
	struct watch_process *processes;
	size_t process_count, alive_count;
	size_t next_room; /* where an entry that is over is looked for next */
	struct fate_death *deaths;
	size_t death_count;
	struct watch_newborn newborns[WATCH_NEWBORN_LIMIT];
	size_t newborn_count;
	struct resources resources;
	struct gpu gpu;
	pthread_t bell_thread;
};

/* The descriptor, if open, at which the shim leaves us a pidfd of the first process: one
 * that dies at once is gone before we could open it ourselves. */
#define WATCH_INHERITED_FD 3

/* Starts watching. 0 or -errno. There is no end: the process ends with it. */
int watch_init(struct watch *watch, struct rundir *rundir, const struct segment_run *run,
	       struct segment_state *shared);

/* Looks for new processes, exits and deaths, and samples those that are alive. */
void watch_update(struct watch *watch);

/* Is the first process past its exit (or dead)? Is it dead? */
int watch_first_is_exiting(const struct watch *watch);
int watch_first_is_dead(const struct watch *watch);

/* Looks for processes that are not known yet, when all known ones are dead. Returns how
 * many were found; they are watched from now on. */
size_t watch_find_newborns(struct watch *watch);

/* Processes alive besides the first. */
size_t watch_others_alive(const struct watch *watch);

/* The processes that became another user; owned by the caller (free). */
struct ingest_user *watch_other_users(const struct watch *watch, size_t *ret_count);

/* Adds 1 to the doorbell and wakes everybody who waits for it. Any thread. */
void watch_ring(struct segment_state *shared);

/* Waits until the doorbell is no more `seen`, at most timeout_ns. */
void watch_wait(struct segment_state *shared, uint32_t seen, uint64_t timeout_ns);

/* For watch.c and newborn.c: */

static inline int watch_is_over(const struct watch_process *process)
{
	return process->state == WATCH_DEAD || process->state == WATCH_REPLACED;
}

/* Is that process dead? pidfd < 0: there is none, it is asked after by number. */
int watch_is_dead(int pidfd, int32_t pid, uint64_t start_time);

/* Makes the bell ring when the process behind the pidfd dies. */
void watch_ring_when_dead(struct watch *watch, int pidfd);

/* Forgets newborns that have a slot now, are dead, or run another program. */
void watch_drop_newborns(struct watch *watch);
