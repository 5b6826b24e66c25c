/* SPDX-License-Identifier: MIT */
/*
 * A run's spool directory, read and checked: the run page, every process with its
 * modules, threads and sites; lanes one at a time. Must not write anything, crash on
 * damaged files, or keep a file open.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"
#include "common/segment_names.h"
#include "common/segment_series.h"
#include "collector/read/book.h"
#include "collector/read/rundir.h"

/*
 * What is left of struct segment_process, with counts that are true. A slot that several
 * processes had one after the other (common/segment.h, SLOTS ARE USED AGAIN) makes one of
 * each. The owner is the one that has it now, or had it last: to it belong the lanes, the
 * sites and the counters of all of them.
 */
struct read_process {
	uint32_t file, slot;
	uint32_t tenant; /* which process of the slot, from 0 */
	uint32_t owner;	 /* index of the owner, its own when it is the one */
	int is_former;	 /* what it did is complete, memory is valid */
	int is_borrower; /* not the owner */
	struct read_memory {
		uint64_t alloc_count, alloc_bytes, free_count, free_bytes, live_bytes;
	} memory;
	int32_t pid, parent_pid;
	uint32_t state;
	int32_t exit_code;
	uint32_t forked_from_slot, forked_from_tenant;
	uint32_t notes;
	uint64_t start_ticks, end_ticks, start_time;
	uint64_t peak_bytes, live_bytes, peak_generation;
	uint64_t counters[SEGMENT_PROCESS_COUNTERS];
	struct segment_job job; /* name empty: of none */
	/* borrowed from the owner, like the modules and the threads */
	char *executable;
	char *command; /* arguments, each ended by NUL */
	uint32_t command_size;
	struct segment_module *modules; /* paths end with NUL */
	uint32_t module_count;
	struct segment_thread *threads; /* its own ones */
	uint32_t thread_count;
	struct segment_thread *all_threads; /* the owner's: what is to be freed */
	struct segment_site *sites;	 /* owned; sites[i] has the id first_site + i */
	uint32_t first_site, site_count; /* site_count: number in sites */
	struct segment_left *left;	 /* owned; parallel to sites, may be shorter */
	uint32_t left_count;
	struct read_book book;		  /* owned; all zero without snapshots */
	const struct segment_name *names; /* borrowed from the run: of regions */
	uint32_t name_count;
};

struct read_lane {
	uint32_t file, slot;
	uint32_t process; /* index in read_run.processes */
};

/* One lane's arrays; counts are true, index 0 of nodes and functions means none. frames:
 * the open ones of the thread's own stack, then those of the first fiber, and so on,
 * fibers[i].depth of each. */
struct read_lane_data {
	struct segment_lane header;
	uint32_t cut_node_count; /* beyond read_node_limit() */
	struct segment_frame *frames;
	struct segment_fiber *fibers; /* stacks other than the thread's own */
	struct segment_node *nodes;
	struct segment_function *functions;
	struct segment_series *series; /* steps and counters */
	uint32_t frame_count, fiber_count, node_count, function_count, series_count;
};

/* The names of one file's regions; both strings of each end with NUL. */
struct read_names {
	struct segment_name *names; /* owned; [0] is never used */
	uint32_t count;
};

struct read_run {
	int directory_fd;
	struct segment_run page;    /* its strings end with NUL */
	struct segment_state state; /* a copy; all zero when it cannot be read */
	char **files;		    /* names of the segment files */
	struct read_names *names;   /* parallel to files */
	size_t file_count;
	struct read_process *processes; /* by start_ticks */
	size_t process_count;
	struct read_lane *lanes;
	size_t lane_count;
	uint64_t spool_bytes;	/* what the files take on disk */
	uint64_t damaged_count; /* files, slots and records left out as not plausible */
};

/* How many nodes a lane, and sites a process of the run may have. The quarter more is for
 * processes that share a lane one after the other. */
static inline uint32_t read_node_limit(const struct segment_run *page)
{
	uint64_t limit = page->path_limit > SEGMENT_PATH_LIMIT ? page->path_limit
							       : SEGMENT_PATH_LIMIT;

	return limit < UINT32_MAX / 2 ? (uint32_t)(limit + limit / 4) : UINT32_MAX / 2;
}

/* The run's facts alone. 0, or -errno with a sentence in error. */
int read_run_page(const struct rundir *rundir, struct segment_run *ret, char *error,
		  size_t error_size);

/* What the run's processes say of it now, as far as it is plausible. 0 or -errno; all
 * zero then. */
int read_run_state(const struct rundir *rundir, const struct segment_run *page,
		   struct segment_state *ret);

/* Opens a spool directory. Damaged files are left out and counted; only facts that
 * cannot be used is an error. 0, or -errno with a sentence in error. Close in any case
 * but an error with read_run_close(). */
int read_run_open(struct read_run *ret, const struct rundir *rundir, char *error,
		  size_t error_size);
void read_run_close(struct read_run *run);

/* Reads a lane. 0, -EINVAL: damaged, or -ENOMEM. Free with read_lane_done(). */
int read_lane(const struct read_run *run, const struct read_lane *lane,
	      struct read_lane_data *ret);
void read_lane_done(struct read_lane_data *data);

/* A number that changes when a process, a call, an allocation or a trust counter is
 * added to the run. 0 when the run cannot be read. */
uint64_t read_run_checksum(const struct rundir *rundir);
