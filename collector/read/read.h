/* SPDX-License-Identifier: MIT */
/*
 * A run's spool directory, read and checked: the run page; each process with its modules,
 * threads and sites; lanes one at a time. Must not write anything, crash on damaged
 * files, or keep a file open.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/libc/calls.h"
#include "common/segment.h"
#include "common/segment_recording.h"
#include "common/segment_names.h"
#include "common/segment_samples.h"
#include "common/segment_series.h"
#include "common/segment_slow.h"
#include "collector/read/facts.h"
#include "collector/read/process.h"
#include "collector/read/ended.h"
#include "collector/read/rundir.h"

struct read_lane {
	uint32_t file, slot;
	uint32_t process;    /* index in read_run.processes */
	uint32_t node_count; /* according to its header */
};

/*
 * A lane's arrays except stacks and nodes: member, member of its count, number, type.
 * series: steps and counters; counts: by number of the function in the process's modes;
 * waits: by segment_node.wait. [0] of counts, locks, lock_times, lock_waits, transfers,
 * stalls and samples is not used.
 */
#define READ_LANE_ARRAYS(ARRAY)                                                          \
	ARRAY(functions, function_count, FUNCTIONS, struct segment_function)             \
	ARRAY(call_sites, call_site_count, CALL_SITES, struct segment_call_site)         \
	ARRAY(series, series_count, SERIES, struct segment_series)                       \
	ARRAY(counts, count_count, COUNTS, struct segment_count)                         \
	ARRAY(waits, wait_count, WAITS, struct segment_wait)                             \
	ARRAY(locks, lock_count, LOCKS, struct segment_lock)                             \
	ARRAY(lock_times, lock_time_count, LOCK_TIMES, struct segment_function)          \
	ARRAY(lock_waits, lock_wait_count, LOCK_WAITS, struct segment_lock_wait)         \
	ARRAY(stalls, stall_count, STALLS, struct segment_stall)                         \
	ARRAY(transfers, transfer_count, TRANSFERS, struct segment_transfer)             \
	ARRAY(spans, span_count, SPANS, struct segment_span)                             \
	ARRAY(studies, study_count, STUDIES, struct segment_study)                       \
	ARRAY(cases, case_count, CASES, struct segment_case)                             \
	ARRAY(samples, sample_count, SAMPLES, struct segment_sample)

#define READ_LANE_ARRAY(list, count, number, type)                                       \
	type *list;                                                                      \
	uint32_t count;

/* One lane's arrays, with true counts; index 0 of nodes and functions means none. frames:
 * the open ones of the thread's own stack, then fibers[i].depth of each fiber. */
struct read_lane_data {
	struct segment_lane header;
	uint32_t cut_node_count; /* beyond read_node_limit() */
	struct segment_frame *frames;
	struct segment_fiber *fibers; /* stacks other than the thread's own */
	struct segment_node *nodes;
	uint32_t frame_count, fiber_count, node_count;
	READ_LANE_ARRAYS(READ_LANE_ARRAY)
};

/* The names of one file's regions. Both strings of each end with NUL. */
struct read_names {
	struct segment_name *names; /* owned; [0] is never used */
	uint32_t count;
};

/* A segment file, or the image of one that has ended. */
struct read_file {
	char *name; /* owned; NULL: it has ended */
	/* of its first process and of its name; these identify it */
	uint64_t start_ticks, name_hash;
	uint64_t ended_at; /* offset in ended; 0: it has its own file */
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
	uint64_t spool_bytes;	/* size of the files on disk */
	uint64_t damaged_count; /* implausible files, slots and records, left out */
	uint64_t begun_count;	/* files whose creation goes on, or was cut off */
};

/* Opens a spool directory. Damaged files are left out and counted; only unusable facts
 * are an error. kept: images that have been read already and now become the run's, or
 * NULL. 0, or -errno with a sentence in error. After 0 close with read_run_close(). */
int read_run_open(struct read_run *ret, const struct rundir *rundir,
		  struct read_run *kept, char *error, size_t error_size);
void read_run_close(struct read_run *run);
/* The same without ended images, which no longer change. */
int read_run_open_files(struct read_run *ret, const struct rundir *rundir, char *error,
			size_t error_size);

/* Begins the `kept` of a later read_run_open(): only its page is known yet. */
void read_keep_begin(struct read_run *ret, const struct segment_run *page);
/* Reads an ended image while it is in memory. place: where it is found later. A bad one
 * is left to read_run_open(). */
void read_keep(struct read_run *kept, const struct sparse *image,
	       const struct ended_place *place);

/* Opens a file of the run, wherever it is by now; only one image can be open at a time. 0
 * or -errno. Close with segment_reader_close(). */
int read_open_file(const struct read_run *run, uint32_t file, struct segment_reader *ret);

/* The index of the lane in a slot, or -1. */
int64_t read_find_lane(const struct read_run *run, uint32_t file, uint32_t slot);

/* Reads a lane. 0, or -EINVAL: damaged. Free with read_lane_done(). */
int read_lane(const struct read_run *run, const struct read_lane *lane,
	      struct read_lane_data *ret);
void read_lane_done(struct read_lane_data *data);

/* A number that changes when a process, a call, an allocation or a trust counter is
 * added to the run. 0 when the run cannot be read. */
uint64_t read_run_checksum(const struct rundir *rundir);

/* The sites and targets of the processes of one file, held while its lanes are read: with
 * thousands of processes they would take most of the memory. */
struct read_parts {
	const struct read_run *run;
	uint32_t *order; /* owned; the owners of slots, grouped by file */
	size_t count;
	size_t first, end; /* range in order that has been read now */
};

void read_parts_begin(struct read_parts *ret, const struct read_run *run);

/* Call it for the files in order: frees the sites of the last file's processes and reads
 * those of this one: run->processes[order[first]] up to order[end]. */
void read_parts_of(struct read_parts *parts, uint32_t file);

void read_parts_done(struct read_parts *parts);
