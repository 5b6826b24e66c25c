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

#include "collector/merge/histogram.h"
#include "collector/merge/hook_cost.h"
#include "collector/merge/identify.h"
#include "collector/merge/results.h"
#include "common/base/map.h"
#include "common/base/pool.h"
#include "common/quantities.h"
#include "common/segment_recording.h"
#include "collector/read/read.h"
#include "collector/processes/ending.h"
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
	/* The path itself, or, when most of its calls are of inlined copies, the path
	 * that holds their code. Known when all lanes are merged. */
	uint32_t host;
	int is_inlined;
	int has_folded; /* its self time contains calls that have no path of their own */
	int has_copies; /* no call has a frame, and most are inlined copies */
	uint32_t call;	/* 1 + place in identify where it was called; 0: not known */
	uint32_t call_lines;   /* known lines that call it */
	int64_t counted_calls; /* calls without frames, included in calls */
	QUANTITY_FIELDS(PATH);
};

/* One lane's share of a path, or that of several lanes that follow each other. Only kept
 * when the run has several lanes. */
struct merge_share {
	uint32_t path, lane;
	int64_t counted_calls;
	QUANTITY_FIELDS(LANE);
};

struct merge_site {
	uint32_t path, line;
	uint32_t call; /* like a path's, for the function with hooks around it */
	const char *file;
	QUANTITY_FIELDS(SITE);
};

/* Parallel to identify.functions. Times are those of the program as built: an inlined
 * copy's own time is its host's, and a copy has no total. The hooked times are as the
 * hooks saw them, with copies as calls of their own. */
struct merge_function {
	int is_used;	     /* it has a path */
	int is_instrumented; /* it has a path of kind function or region */
	enum segment_recording recording;
	struct time_error self_error, total_error;
	/* Made by itself and by libraries on its behalf; 0 for a library's function that
	 * other code called. */
	int64_t owned_alloc_count, owned_alloc_bytes;
	QUANTITY_FIELDS(FUNCTION);
	struct histogram histogram;
};

/* Also as built: the caller is the function that the call was compiled into. */
struct merge_edge {
	uint32_t caller, callee;
	QUANTITY_FIELDS(EDGE);
	uint32_t active; /* while counting: occurrences on the current path */
};

/* A lane's sums in a path, while that lane is merged. */
struct merge_cell {
	QUANTITY_FIELDS(LANE);
	uint64_t total_ticks;
	int64_t counted_calls; /* calls without frames, included in calls */
	int64_t nested_calls;  /* entries with frames that are no calls (sites.c) */
	/* calls with frames at and below it, whose caller with a frame is above it */
	uint64_t passed_ticks;
	int64_t passed_calls;
	/* sums that account.c builds; child calls are those with frames */
	int64_t child_calls, child_raw_ns, child_total_ns;
	int64_t child_ready_ns, child_blocked_ns; /* at and below the children */
	double counting; /* calls without frames that were counted during its time */
	int64_t allocs;	 /* made during its time: its own and of frames below it */
	int64_t owed_ns; /* how much less its children's hooks cost than was subtracted */
	int64_t hook_ns; /* cost of its hooks according to the calibration */
	int64_t raw_total_ns, raw_self_ns;
	struct time_error self_error, child_error;
	int is_touched;
};

#define MERGE_NO_FUNCTION UINT32_MAX /* no valid key, or too many functions */

/* A function that a process records with less detail than frames, now or earlier (struct
 * segment_mode). */
struct merge_mode {
	uint32_t process; /* index in run->processes */
	uint32_t function;
	/* of copies inlined into that function; MERGE_NO_FUNCTION: of all others */
	uint32_t host;
	/* call site: index in identify.places of the innermost function inlined there,
	 * and how many there are; 0: not known */
	uint32_t place, place_count;
	uint32_t caller; /* the outermost of them, or MERGE_NO_FUNCTION */
	uint32_t own;	 /* index in modes of the function's own mode */
	int is_part;	 /* not the own mode: only some of the calls */
	enum demangle_variant variant, host_variant;
	enum segment_recording recording, least;
	enum segment_reason reason;
	uint64_t since_ticks, change_count, site_count, early_site_count;
	uint64_t counted_calls;
};

/* The most paths, and functions to look for, that a run is merged into, whatever its
 * processes say (10 s and 1 GB). What does not fit folds into the nearest ancestor and is
 * counted. PROFSHIM_MAX_PATHS can ask for more. */
#define MERGE_PATH_LIMIT (1u << 21)

/* About how many shares of lanes in paths are kept. Beyond that, short processes of one
 * program share lanes (shared_lanes.c). */
#define MERGE_SHARE_LIMIT (1u << 17)

/* In addition to the shim's ways of recording: counted, and timed by samples. */
#define MERGE_SAMPLED ((enum segment_recording)(SEGMENT_RECORDING_OFF + 1))

/* Numbers of struct segment_lane that are simply added up. */
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

#define MERGE_MAPS 11

struct merge {
	struct pool pool; /* of all arrays here and in what is part of it */
	const struct read_run *run;
	const struct ticks *ticks;
	struct hook_cost cost;		/* the run's */
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
	/* by lane: the lane that its shares and threads are reported under, and whether
	 * several lanes share that one (shared_lanes.c) */
	uint32_t *row_lanes;
	uint8_t *is_shared_lane;
	uint64_t shared_lane_count;
	uint32_t *open_paths; /* by lane: path of its innermost open call; 0: none */
	struct merge_site *sites;
	size_t site_count;
	struct merge_function *functions;
	size_t function_count;
	struct merge_edge *edges;
	size_t edge_count;
	struct merge_cell *cells; /* parallel to paths */
	uint32_t *touched;	  /* paths in which the lane has cells */
	size_t touched_count;
	struct changes changes; /* between snapshots */
	struct marks marks;
	struct locks locks;
	struct spans spans;
	struct transfers transfers;
	struct sampled sampled;
	struct studies studies;
	uint32_t **merged_sites; /* by process and site: index in sites */
	struct intern names;	 /* of steps, counters and targets */
	union {
		struct {
			struct map path_map, site_map, edge_map;
			/* by path, line and file: call lines beside the first */
			struct map call_map;
			struct map share_map; /* by path and lane, for shared lanes */
			/* by process and function with calls without frames: the least
			 * detailed enum segment_recording */
			struct map mode_map;
			struct map lock_map;   /* by process and address */
			struct map series_map; /* by name, kind and process */
			struct map target_map, transfer_map;
			struct map caller_map; /* of samples */
		};
		struct map maps[MERGE_MAPS];
	};
	struct merge_mode *modes; /* by process, then by number: modes[first_mode] is 0 */
	size_t mode_count;
	size_t *first_mode; /* by process, and mode_count behind the last */
	uint64_t counted_call_count;
	/* Entries that are no calls (sites.c), with and without frames. */
	uint64_t nested_call_count, nested_counted_count;
	uint64_t libc_call_count; /* of libc's calls, which have no hooks */
	uint64_t call_count, open_frame_count, repaired_frame_count, folded_call_count,
		damaged_count;
	uint64_t lost_wait_ns;	       /* time without a CPU on no known path */
	uint64_t unended_region_count; /* regions that ended with their function */
#define MERGE_LANE_SUM(name) uint64_t name;
	MERGE_LANE_SUMS(MERGE_LANE_SUM)
};

void merge_done(struct merge *merge);

/* Does the child path exist, or is there room for it? */
int merge_has_room(const struct merge *merge, uint32_t parent, uint32_t function,
		   enum merge_kind kind);
/* Returns the child path, which is made if needed. */
uint32_t merge_child_path(struct merge *merge, uint32_t parent, uint32_t function,
			  enum merge_kind kind);

/* Returns the second path of the same function below the same parent, made if needed: a
 * path of real calls has one for inlined copies, and the other way round. 0: no room. */
uint32_t merge_twin_path(struct merge *merge, uint32_t path);
/* Notes where the function of a path was called: an address at which these places are
 * inlined. Takes the place in the function of the path above, else the innermost that is
 * no library's. Returns 1 + that place, or 0 when its line is not known. */
uint32_t merge_note_call(struct merge *merge, uint32_t path, uint32_t first,
			 uint32_t count);
/* The same for a path that may belong to another caller: only accepts a place in the
 * function of the path above. */
uint32_t merge_note_own_call(struct merge *merge, uint32_t path, uint32_t first,
			     uint32_t count);
/* Goes on from a path to a frame seen by unwinding: each function inlined at its address,
 * which are these places, is a path. call: the place where it was called, or
 * IDENTIFY_NONE. Returns 0 when there was not room for all. */
int merge_frames(struct merge *merge, uint32_t *path, uint32_t first, uint32_t count,
		 uint32_t call);
/* Appends a path. */
void merge_add_path(struct merge *merge, const struct merge_path *path);
/* Returns the function's sums; makes room for them. */
struct merge_function *merge_function_at(struct merge *merge, uint32_t function);
/* The duration of a call in ns, as its caller would see it without the hooks. */
int64_t merge_call_ns(const struct merge *merge, double ticks);
/* Adds calls to what was passed on by the paths between `path` and its owner, a path
 * above it. These are levels (common/segment_tree.h), and the owner has their time. */
void merge_pass(struct merge *merge, uint32_t path, uint32_t owner, uint64_t calls,
		uint64_t ticks);
/* Returns the current lane's cell of a path; marks it and all above as touched. */
struct merge_cell *merge_touch(struct merge *merge, uint32_t path);

/*
 * Which lanes have a row of their own, and which continue the row of a process that had
 * ended before theirs began. Two threads that lived at the same time never share.
 *
 * Among thousands of short processes of one program, each one's own share of every call
 * path tells nothing. So the processes that lived longest have lanes of their own while
 * there is room. The lanes of the others follow each other in a few rows, as the forked
 * children of a shell do in its slots (common/segment.h).
 */

/* Processes of one program that have lanes of their own whatever the shares. */
#define SHARED_LANES_OWN 4u

/* Fills in merge->row_lanes and counts shared lanes. ends: parallel to the processes. */
void shared_lanes_find(struct merge *merge, const struct ending *ends);
