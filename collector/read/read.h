/* SPDX-License-Identifier: MIT */
/*
 * A run's spool directory, read and checked: the run page, every process with its
 * modules, threads and sites; lanes one at a time. Must not write anything, crash on
 * damaged files, or keep a file open.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/libc/records.h"
#include "common/segment.h"
#include "common/segment_recording.h"
#include "common/segment_names.h"
#include "common/segment_samples.h"
#include "common/segment_series.h"
#include "common/slow/studies.h"
#include "collector/read/page.h"
#include "collector/read/process.h"
#include "collector/read/ended.h"
#include "collector/read/sampling.h"
#include "collector/read/rundir.h"

struct read_lane {
	uint32_t file, slot;
	uint32_t process;    /* index in read_run.processes */
	uint32_t node_count; /* as its header said */
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
	/* by number of the function in the process's modes; [0] is not used */
	struct segment_count *counts;
	struct segment_wait *waits; /* by segment_node.wait */
	struct segment_lock *locks; /* [0] is never used, nor in the next two */
	struct segment_function *lock_times;
	struct segment_lock_wait *lock_waits;
	uint32_t frame_count, fiber_count, node_count, function_count, series_count;
	struct segment_transfer *transfers; /* likewise */
	uint32_t count_count, wait_count;
	struct segment_stall *stalls; /* likewise */
	uint32_t lock_count, lock_time_count, lock_wait_count, stall_count;
	uint32_t transfer_count, span_count;
	struct segment_span *spans;
	struct segment_study *studies;
	struct segment_case *cases;
	uint32_t study_count, case_count;
	struct segment_sample *samples; /* [0] is never used */
	uint32_t sample_count;
};

/* The names of one file's regions; both strings of each end with NUL. */
struct read_names {
	struct segment_name *names; /* owned; [0] is never used */
	uint32_t count;
};

/* A segment file, or the image of one that has ended. */
struct read_file {
	char *name; /* owned; NULL: it has ended */
	/* of its first process, and of its name: by these it is known again */
	uint64_t start_ticks, name_hash;
	uint64_t ended_at; /* in ended; 0: in a file of its own */
};

struct read_run {
	int directory_fd;
	struct segment_run page;    /* its strings end with NUL */
	struct segment_state state; /* a copy; all zero when it cannot be read */
	struct read_sampling sampling;
	struct read_file *files;
	struct module_files *module_files; /* owned; of all processes */
	struct ended *ended;		   /* owned; of the images that have ended */
	struct read_names *names;	   /* parallel to files */
	size_t file_count;
	struct read_process *processes; /* by start_ticks */
	size_t process_count;
	struct read_lane *lanes;
	size_t lane_count;
	uint64_t spool_bytes;	/* what the files take on disk */
	uint64_t damaged_count; /* files, slots and records left out as not plausible */
	uint64_t begun_count;	/* files that are being made, or were when it ended */
};

/* Opens a spool directory. Damaged files are left out and counted; only facts that
 * cannot be used is an error. kept: images that have been read already (NULL: none),
 * which are the run's from here on. 0, or -errno with a sentence in error. Close in any
 * case but an error with read_run_close(). */
int read_run_open(struct read_run *ret, const struct rundir *rundir,
		  struct read_run *kept, char *error, size_t error_size);
void read_run_close(struct read_run *run);
/* The same without the images that have ended, in which nothing changes. */
int read_run_open_files(struct read_run *ret, const struct rundir *rundir, char *error,
			size_t error_size);

/* For the run that read_run_open() will make: nothing but its page is known yet. */
void read_keep_begin(struct read_run *ret, const struct segment_run *page);
/* Reads an image that has ended while it is in memory; its place is where it is found
 * later. One that is none is left to read_run_open(). */
void read_keep(struct read_run *kept, const struct sparse *image,
	       const struct ended_place *place);

/* Opens a file of the run, wherever it is by now; of two images only one is open at a
 * time. 0 or -errno. Close with segment_reader_close(). */
int read_open_file(const struct read_run *run, uint32_t file, struct segment_reader *ret);

/* Reads a lane. 0, or -EINVAL: damaged. Free with read_lane_done(). */
int read_lane(const struct read_run *run, const struct read_lane *lane,
	      struct read_lane_data *ret);
void read_lane_done(struct read_lane_data *data);

/* A number that changes when a process, a call, an allocation or a trust counter is
 * added to the run. 0 when the run cannot be read. */
uint64_t read_run_checksum(const struct rundir *rundir);
