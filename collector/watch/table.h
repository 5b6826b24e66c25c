/* SPDX-License-Identifier: MIT */
/*
 * The run's processes and files: found in segment files, watched by pidfd, looked at in
 * /proc. Runs on: the collector's main thread. Must not signal, stop or wait for the
 * processes.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/ingest/ingest.h"
#include "collector/live/snapshot.h"
#include "collector/processes/ending.h"
#include "collector/processes/liveness.h"
#include "collector/processes/resources.h"
#include "collector/processes/ticks.h"
#include "collector/read/ended.h"
#include "collector/read/rundir.h"
#include "collector/read/segment_file.h"
#include "collector/selection/selection.h"
#include "collector/watch/gpu.h"
#include "common/base/map.h"
#include "common/segment.h"

struct bell {
	struct segment_state *shared; /* borrowed, mapped */
	int epoll_fd;
	pthread_t thread;
};

/* Adds 1 to the doorbell and wakes everybody who waits for it. Any thread. */
void bell_ring(struct segment_state *shared);

/* Waits until the doorbell is no more `seen`, at most timeout_ns. */
void bell_wait(struct segment_state *shared, uint32_t seen, uint64_t timeout_ns);

/* Starts the thread that rings for deaths. 0 or -errno. There is no end: the process ends
 * with it. */
int bell_start(struct bell *bell, struct segment_state *shared);

/* Makes the bell ring when the process behind the pidfd dies. */
void bell_ring_when_dead(const struct bell *bell, int pidfd);

enum watch_state {
	WATCH_RUNNING,
	WATCH_EXITING,
	WATCH_REPLACED, /* its process has called exec: another entry goes on */
	WATCH_DEAD,
};

struct watch_file {
	char *name; /* owned; NULL: the entry is free */
	uint64_t inode;
	/* kept open, so that a file that somebody removes is not lost; fd -1: not open */
	struct segment_reader reader;
	uint32_t slot_count;  /* slots [1, slot_count) have been looked at */
	uint32_t alive_count; /* processes in it that are not over */
	uint64_t over_ns;     /* monotonic: when the last of them was over */
	uint64_t pack_ns;     /* it cannot be packed before then */
	int32_t *pids;	      /* owned; of the processes that have its slots */
	uint32_t pid_count;
};

/* Of a process each PROFSHIM_SNAPSHOT_EVERY (see below). */
struct watch_interval {
	uint64_t next_ns; /* monotonic; 0: not seen yet */
	uint32_t number;
	int is_given_up;
	int was_busy; /* another snapshot did not end */
	struct live_snapshot_memory memory;
};

/* What is known of a process that may be sampled from outside (outside.h). */
struct watch_outside {
	uint64_t seen_ns;
	enum {
		OUTSIDE_NEW,
		OUTSIDE_OWN,	  /* its program has hooks, or cannot be sampled */
		OUTSIDE_FOLLOWED, /* its program is */
	} state;
	uint64_t program;		 /* if FOLLOWED */
	struct resource_threads threads; /* which its program has been told of */
};

struct watch_process {
	size_t file;
	uint32_t slot;
	enum watch_state state;
	int is_forked; /* its entry may be another's when it is over */
	int has_left;  /* its slot is another's */
	int pidfd;     /* < 0: over, or there is none and it has to be asked after */
	uint64_t start_time;
	struct ending_death death; /* pid and start_ticks always, the rest when dead */
	struct resource_process resource;
	int is_other_user;     /* is not the files' owner any more, and cannot be again */
	uint32_t object_count; /* that have been shown */
	struct watch_interval interval;
	struct watch_outside outside;
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
	struct bell bell;
	int first_pidfd; /* of the run's first process; < 0: none */
	int first_is_dead;
	int is_blind;			 /* the last look failed: no descriptors */
	struct wait_status first_status; /* when dead */
	struct watch_file *files;
	size_t file_count;
	struct map file_map; /* index of a file by its inode */
	struct watch_process *processes;
	size_t process_count, alive_count;
	size_t next_room;     /* where an entry that is over is looked for next */
	size_t *free_entries; /* of processes whose files are packed */
	size_t free_count;
	struct ended_writer ended; /* where these are */
	struct read_run kept;	   /* what they say */
	struct ending_death *deaths;
	size_t death_count;
	struct watch_newborn newborns[WATCH_NEWBORN_LIMIT];
	size_t newborn_count;
	struct resources resources;
	struct gpu gpu;
};

static inline int table_is_over(const struct watch_process *process)
{
	return process->state == WATCH_DEAD || process->state == WATCH_REPLACED;
}

/* Is that process dead? pidfd < 0: there is none, it is asked after by number. */
int table_is_dead(int pidfd, int32_t pid, uint64_t start_time);

/* Adds the process that has a slot now, from the slot's header. */
void table_add(struct watch *watch, size_t file, uint32_t slot,
	       const struct segment_process *header);

/* The process is over; its slots are trimmed. */
void table_end(struct watch *watch, struct watch_process *process,
	       enum watch_state state);
/* The same of one that is dead, whose status is kept. */
void table_note_death(struct watch *watch, struct watch_process *process);

/* The entry of a process that is over may be another's from here on. */
void table_free(struct watch *watch, size_t index);

/* Finds the files by their inodes anew: some have been removed. */
void table_list_files(struct watch *watch);

/* How the first process ended, from the descriptor we have had from the start. */
struct wait_status table_first_status(const struct watch *watch);

/* Is the first process past its exit (or dead)? Is it dead? */
int table_first_is_exiting(const struct watch *watch);
int table_first_is_dead(const struct watch *watch);

/* Processes alive besides the first. */
size_t table_others_alive(const struct watch *watch);

/* The processes that became another user; owned by the caller (free). */
struct ingest_user *table_other_users(const struct watch *watch, size_t *ret_count);

/* Looks for processes that are not known yet, when all known ones are dead. Returns how
 * many were found; they are watched from now on. */
size_t newborn_find(struct watch *watch);

/* Starts watching. 0 or -errno. There is no end: the process ends with it. */
int watch_init(struct watch *watch, struct rundir *rundir, const struct segment_run *run,
	       struct segment_state *shared);

/* Looks for new processes, exits and deaths, and samples those that are alive. */
void watch_update(struct watch *watch);

/* Packs the files that have been over for longest, when there are too many; watch->kept
 * has their processes from then on. */
void pack_files(struct watch *watch);

/* When the spool is gone: makes it again from the files that are still open here, and
 * locks it. A file that is not, counts as a lost process. Returns 1 when it did, 0 when
 * nothing was missing, or -errno. */
int removed_spool_restore(struct watch *watch);

/* Shows the objects of all processes to who applies rules about source files
 * (collector/selection/selection.h) as they turn up, when there are such rules. */
void objects_update(struct answers *answers, struct watch *watch);

/* A snapshot is taken of every process each PROFSHIM_SNAPSHOT_EVERY. One that comes late
 * is not made up for. */
struct intervals {
	struct ticks ticks;
	uint64_t every_ns; /* 0: none */
};

void intervals_init(struct intervals *intervals, const struct segment_run *page);

/* Takes those snapshots that are due. Returns how long nothing more is, at most
 * longest_ns. */
uint64_t intervals_update(const struct intervals *intervals, struct watch *watch,
			  uint64_t longest_ns);
