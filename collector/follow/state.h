/* SPDX-License-Identifier: MIT */
/*
 * What is followed of a run: rows, and ledgers with their numbers. Must be changed by
 * looks alone.
 *
 * Numbers of a look belong to slightly different moments, some milliseconds apart; each
 * is itself exact, and none ever falls. Open calls count up to the look.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/follow/ledger.h"
#include "collector/merge/merge.h"
#include "collector/read/segment_file.h"
#include "common/base/arena.h"

/* What is followed of a call path, of the calls with frames. */
enum follow_path_number {
	FOLLOW_CALLS,
	FOLLOW_SELF_TICKS, /* as the clock said */
	FOLLOW_CHILD_CALLS,
	FOLLOW_NESTED_CALLS, /* beside the calls: entries with frames (merge/variants.h)
			      */
	FOLLOW_READY_NS,     /* of the self time */
	FOLLOW_BLOCKED_NS,
	FOLLOW_ALLOCS,
	FOLLOW_ALLOC_BYTES,
	FOLLOW_PATH_NUMBERS
};

/* What the merge knows of a path, in little room: thousands of them are asked for with
 * each look. */
struct follow_path {
	uint32_t parent, function;
	enum merge_kind kind;
};

/* Of a function that is recorded with less than frames. */
enum follow_function_number {
	FOLLOW_COUNTED_CALLS, /* without a frame: in no path */
	FOLLOW_FUNCTION_NUMBERS
};

enum follow_thread_number {
	FOLLOW_THREAD_WALL_NS,
	FOLLOW_THREAD_CPU_NS,
	FOLLOW_THREAD_READY_NS,
	FOLLOW_THREAD_NUMBERS
};

enum follow_site_number {
	FOLLOW_SITE_ALLOCS,
	FOLLOW_SITE_BYTES,
	FOLLOW_SITE_FREES,
	FOLLOW_SITE_FREED_BYTES,
	FOLLOW_SITE_NUMBERS
};

enum follow_transfer_number {
	FOLLOW_TRANSFER_CALLS,
	FOLLOW_TRANSFER_READ_BYTES,
	FOLLOW_TRANSFER_WRITTEN_BYTES,
	FOLLOW_TRANSFER_TICKS,
	FOLLOW_TRANSFER_NUMBERS
};

enum follow_series_number {
	FOLLOW_SERIES_MARKS,
	FOLLOW_SERIES_VALUES, /* durations that were known */
	FOLLOW_SERIES_TICKS,  /* their sum; of steps */
	FOLLOW_SERIES_NUMBERS
};

struct follow_thread {
	uint32_t process; /* index in follow->processes */
	int32_t tid;	  /* in its own PID namespace */
	char name[16];
	int is_alive, has_clocks; /* the kernel tells what it computed */
	uint32_t open_path;	  /* where it is; 0: outside of all functions */
	uint64_t cpu_ns, ready_ns, seen_ns;
};

struct follow_site {
	uint32_t path, line;
	const char *file; /* NULL: not known */
};

/* Calls of one path that moved data from or to one target. */
struct follow_transfer {
	uint32_t path, target; /* in follow->transfers_of.targets */
};

struct follow_series {
	char name[112];
	uint32_t kind; /* enum segment_series_kind */
	double last_value;
};

struct follow_file;
struct follow_lane;
struct follow_process;

struct follow {
	struct segment_run page;
	struct ticks ticks;
	struct hook_cost cost;		  /* of exact calls, as it was calibrated */
	struct module_files module_files; /* which merge borrows from */
	struct merge merge;		  /* of which: identify and paths */
	struct transfers transfers_of;	  /* of which: targets */
	struct ledger paths, functions, threads, sites, transfers, series;
	/* parallel to the ledgers */
	struct follow_path *path_rows;
	/* ticks of the longest call with a frame that has ended, hooks included; by path,
	 * by function */
	uint64_t *path_longest, *function_longest;
	struct follow_thread *thread_rows;
	struct follow_site *site_rows;
	struct follow_transfer *transfer_rows;
	struct follow_series *series_rows;
	uint8_t *recordings; /* enum segment_recording of functions, as now */
	size_t recording_count;
	uint8_t *callers; /* by function: a bit for each variant that calls another one */
	uint32_t caller_count;

	int32_t pid;		/* asked for, in our PID namespace; 0: the whole run */
	int32_t first_pid;	/* of those that live, for commands to it; 0: none does */
	uint32_t process_count; /* seen so far */
	uint32_t living_count;	/* of them */
	int64_t live_bytes;	/* of the heaps of the living */
	uint64_t left_out_count; /* lanes and files beyond the limits */
	int is_over;		 /* all have ended */

	/* follow's own */
	int directory_fd, proc_fd;
	int32_t inner_pid;
	uint64_t start_time, listed_ns;
	struct follow_file *files;
	struct follow_process **processes;
	struct follow_lane *lanes;
	size_t file_count, lane_count, node_count;
	uint32_t path_room, path_longest_room, function_longest_room;
	struct map thread_map, site_map, transfer_map, series_map;
	struct arena texts;
	struct segment_room room, frames, frames_again;
};
