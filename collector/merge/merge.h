/* SPDX-License-Identifier: MIT */
/*
 * The lanes of all processes of a run, merged into one tree of call paths, its
 * allocation sites, functions and edges. Must not know about SQL or the collector.
 *
 * Index 0 of paths is the root above all roots; a path's parent has a lower index than
 * the path. Times are ns, already corrected where they are not called raw.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/merge/add.h"
#include "collector/merge/changes.h"
#include "collector/merge/histogram.h"
#include "collector/merge/hook_cost.h"
#include "collector/merge/identify.h"
#include "collector/merge/results.h"
#include "collector/merge/transfers.h"
#include "common/base/map.h"
#include "collector/merge/samples.h"
#include "common/quantities.h"
#include "common/segment_recording.h"
#include "collector/read/read.h"
#include "collector/processes/ticks.h"

enum merge_kind {
	MERGE_FUNCTION = 0,
	MERGE_FRAME = 1,
	MERGE_REGION = 2,
	MERGE_WAIT = 3, /* calls of libc (common/libc/calls.h) */
	MERGE_IO = 4,
};

struct merge_path {
	uint32_t parent, function, depth;
	enum merge_kind kind;
	enum segment_recording recording;
	struct time_error self_error;
	/* Itself, or when most of its calls are of inlined copies the path that has their
	 * code; known when all lanes are merged. */
	uint32_t host;
	int is_inlined;
	int has_folded; /* calls without a path of their own are in its self time */
	int has_copies; /* none of its calls has a frame, and most are copies */
	uint32_t call;	/* 1 + a place in identify where it was called; 0: not known */
	uint32_t call_lines;   /* that are known */
	int64_t counted_calls; /* of calls, those without frames */
	QUANTITY_FIELDS(PATH);
};

/* What one lane has in a path, or several that follow each other; only kept when the run
 * has several lanes. */
struct merge_share {
	uint32_t path, lane;
	int64_t counted_calls;
	QUANTITY_FIELDS(LANE);
};

struct merge_site {
	uint32_t path, line;
	uint32_t call; /* as that of a path, of the function with hooks around it */
	const char *file;
	QUANTITY_FIELDS(SITE);
};

/* Parallel to identify.functions. Times are those of the program as it was built: what an
 * inlined copy took itself is its host's, and a copy has no total. The hooked ones are as
 * the hooks saw it, with copies as calls of their own. */
struct merge_function {
	int is_used;	     /* some path is its */
	int is_instrumented; /* some path of kind function or region */
	enum segment_recording recording;
	struct time_error self_error, total_error;
	/* Made by itself, and by libraries on its behalf; 0 of a library's that was
	 * called by somebody else's code. */
	int64_t owned_alloc_count, owned_alloc_bytes;
	QUANTITY_FIELDS(FUNCTION);
	struct histogram histogram;
};

/* As built, too: the caller is the one that was compiled to the call. */
struct merge_edge {
	uint32_t caller, callee;
	QUANTITY_FIELDS(EDGE);
	uint32_t active; /* while counting: occurrences on the path being visited */
};

/* When a process ended, for its open frames. */
struct merge_end {
	uint64_t end_ticks;
	int is_over; /* 0: still runs, its open frames are not finished calls */
};

/* A lane's sums in a path while the lane is merged. */
struct merge_cell {
	QUANTITY_FIELDS(LANE);
	uint64_t total_ticks;
	int64_t counted_calls; /* of the calls: those without a frame */
	int64_t nested_calls;  /* beside them: entries with frames (sites.c) */
	/* of calls with frames at and below it, whose caller with a frame is above it */
	uint64_t passed_ticks;
	int64_t passed_calls;
	/* what account.c has found out so far; of the children calls with frames */
	int64_t child_calls, child_raw_ns, child_total_ns;
	int64_t child_ready_ns, child_blocked_ns; /* at and below the children */
	double counting; /* calls without frames that were counted in its time */
	int64_t allocs;	 /* made in its time: its own, and of frames below it */
	int64_t owed_ns; /* by which its children's hooks cost less than was subtracted */
	int64_t hook_ns; /* what the calibration says that its hooks cost */
	int64_t raw_total_ns, raw_self_ns;
	struct time_error self_error, child_error;
	int is_touched;
};

#define MERGE_NO_FUNCTION UINT32_MAX /* its key was none, or there are too many */

/* A function that a process records with less than frames, or has (struct
 * segment_mode). */
struct merge_mode {
	uint32_t process; /* index in run->processes */
	uint32_t function;
	/* of copies inlined into that function; MERGE_NO_FUNCTION: of all others */
	uint32_t host;
	/* where these calls are made: index in identify.places of the innermost function
	 * that is inlined there, and how many there are; 0: not known */
	uint32_t place, place_count;
	uint32_t caller; /* the outermost of them, or MERGE_NO_FUNCTION */
	uint32_t own;	 /* of the function's own mode; index in modes */
	int is_part;	 /* it is not that: some of its calls */
	enum demangle_variant variant, host_variant;
	enum segment_recording recording, least;
	enum segment_reason reason;
	uint64_t since_ticks, change_count, site_count, early_site_count;
	uint64_t counted_calls;
};

/* What one run is merged into at most, whatever its processes say (10 s and 1 GB): paths,
 * and functions to look for. What does not fit folds into the nearest ancestor and is
 * counted. More only when PROFSHIM_MAX_PATHS asks for it. */
#define MERGE_PATH_LIMIT (1u << 21)

/* Shares of lanes in paths, about: then short processes of one program share lanes
 * (shared_lanes.c). */
#define MERGE_SHARE_LIMIT (1u << 17)

/* Beside the shim's ways: counted, and timed by samples. */
#define MERGE_SAMPLED ((enum segment_recording)(SEGMENT_RECORDING_OFF + 1))

/* Numbers of struct segment_lane that are added up as they are. */
#define MERGE_LANE_SUMS(SUM)                                                             \
	SUM(orphan_exit_count)                                                           \
	SUM(orphan_region_count)                                                         \
	SUM(merged_call_count)                                                           \
	SUM(unlisted_path_count)                                                         \
	SUM(lost_mark_count)                                                             \
	SUM(left_out_ticks)                                                              \
	SUM(reused_stack_count)                                                          \
	SUM(rebuilt_stack_count)                                                         \
	SUM(truncated_stack_count)                                                       \
	SUM(partial_stack_count)

struct merge {
	const struct read_run *run;
	const struct ticks *ticks;
	struct hook_cost cost;		/* in the run */
	struct hook_cost *process_cost; /* parallel to run->processes */
	size_t path_limit, share_limit;
	struct identify identify;
	struct module_list *modules; /* parallel to run->processes */
	struct read_memory *memory;  /* likewise */
	size_t peak_process;	     /* index; process_count: none allocated */
	struct merge_path *paths;
	size_t path_count;
	struct merge_share *shares;
	size_t share_count;
	/* by lane: the one that its shares and threads are told of, and whether there are
	 * several of that (shared_lanes.c) */
	uint32_t *row_lanes;
	uint8_t *is_shared_lane;
	uint64_t shared_lane_count;
	uint32_t *open_paths; /* by lane: of its innermost open call; 0: none */
	struct merge_site *sites;
	size_t site_count;
	struct merge_function *functions;
	size_t function_count;
	struct merge_edge *edges;
	size_t edge_count;
	struct merge_cell *cells; /* parallel to paths */
	uint32_t *touched;	  /* paths the lane has cells in */
	size_t touched_count;
	struct changes changes; /* between snapshots */
	struct marks marks;
	struct locks locks;
	struct spans spans;
	struct transfers transfers;
	struct sampled sampled;
	struct studies studies;
	uint32_t **merged_sites; /* by process with snapshots and site: index in sites */
	struct map path_map, site_map, edge_map;
	struct map call_map;  /* by path, line and file: lines beside the first */
	struct map share_map; /* by path and lane, of lanes that are shared */
	/* by process and function that has calls without frames: the enum
	 * segment_recording with the least detail */
	struct map mode_map;
	struct merge_mode *modes; /* by process, then by number: modes[first_mode] is 0 */
	size_t mode_count;
	size_t *first_mode; /* of each process, and mode_count behind the last */
	uint64_t counted_call_count;
	/* Entries that are no calls (sites.c), with and without frames. */
	uint64_t nested_call_count, nested_counted_count;
	uint64_t libc_call_count; /* of the nodes of libc's calls, which have no hooks */
	uint64_t call_count, open_frame_count, repaired_frame_count, folded_call_count,
		damaged_count;
	uint64_t lost_wait_ns;	       /* without a CPU, on no path that is known */
	uint64_t unended_region_count; /* that ended with their function */
#define MERGE_LANE_SUM(name) uint64_t name;
	MERGE_LANE_SUMS(MERGE_LANE_SUM)
};

void merge_done(struct merge *merge);

/* Is the child path there, or room for it? */
int merge_has_room(const struct merge *merge, uint32_t parent, uint32_t function,
		   enum merge_kind kind);
/* The child path, made when it is not there. */
uint32_t merge_child_path(struct merge *merge, uint32_t parent, uint32_t function,
			  enum merge_kind kind);

/* The path beside it, made when it is not there: where it has calls, of copies of the
 * same function that are inlined into the one above, and the other way round. 0: no room.
 */
uint32_t merge_twin_path(struct merge *merge, uint32_t path);
/* The function of a path was called at an address where these places are inlined: in the
 * function of the path above, or else in the innermost that is no library's. Returns 1 +
 * that place, or 0: its line is not known. */
uint32_t merge_note_call(struct merge *merge, uint32_t path, uint32_t first,
			 uint32_t count);
/* The same when the path may be another's: only in the function of the path above. */
uint32_t merge_note_own_call(struct merge *merge, uint32_t path, uint32_t first,
			     uint32_t count);
/* A new path with the next number. */
void merge_add_path(struct merge *merge, const struct merge_path *path);
/* The function's sums; room is made. */
struct merge_function *merge_function_at(struct merge *merge, uint32_t function);
/* The duration of a call, as its caller would see it without the hooks. */
int64_t merge_call_ns(const struct merge *merge, double ticks);
/* Adds calls of a path to what those between it and its owner, a path above it, passed
 * on: the owner has their time, as these are levels (common/segment_tree.h). */
void merge_pass(struct merge *merge, uint32_t path, uint32_t owner, uint64_t calls,
		uint64_t ticks);
/* The current lane's cell of a path; marks the path and all above as touched. */
struct merge_cell *merge_touch(struct merge *merge, uint32_t path);

/*
 * Which lanes have a row of their own, and which go on in that of a process that had
 * ended before theirs began: two threads that lived at one time never share.
 *
 * Thousands of short processes of one program differ in nothing that their own share of
 * every call path could tell. So the processes that lived longest have lanes of their
 * own, as many as there is room for; those of the others follow each other in some, as
 * the forked children of a shell do in its slots (common/segment.h).
 */

/* Processes of a program that have lanes of their own, however many shares there are. */
#define SHARED_LANES_OWN 4u

/* Finds merge->row_lanes and counts those that are shared. ends: parallel to the
 * processes. */
void shared_lanes_find(struct merge *merge, const struct merge_end *ends);
