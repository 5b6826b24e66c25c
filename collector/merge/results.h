/* SPDX-License-Identifier: MIT */
/*
 * What a run has besides the sums of its paths: changes between snapshots, locks and who
 * waited for whom, steps and counters, long calls, and cases. A file of that name adds
 * those of each lane (place.h). All arrays are in the merge's pool, all names among its
 * names.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/merge/histogram.h"
#include "collector/merge/modules.h"
#include "common/base/map.h"
#include "common/quantities.h"
#include "common/libc/calls.h"
#include "common/segment_series.h"
#include "common/segment_slow.h"
#include "common/segment_tree.h"

/*
 * What happened between the snapshots of each process, by merged path and site:
 * differences (changes.c).
 */

/* What a path did between the snapshot before and `snapshot` (from 1) of a process.
 * Several lanes may each have one for the same path. */
struct change_of_path {
	uint32_t process, snapshot, path, owner;
	uint64_t calls, nested_calls, ticks, unwound;
	uint64_t ready_ns, blocked_ns;
};

/* A node's waits at the end as they were booked, and the share of the blocked time that
 * was in truth ready (collector/merge/waits.c). */
struct change_end {
	uint64_t ready_ns, blocked_ns;
	double late_share;
};

struct change_of_site {
	uint32_t process, snapshot, site;
	QUANTITY_FIELDS(HELD);
};

/* See struct segment_free_age. */
struct change_free {
	uint32_t process, site;
	uint32_t born, freed;
	uint64_t count, bytes;
};

struct changes {
	struct change_of_path *paths;
	size_t path_count;
	struct change_of_site *sites;
	size_t site_count;
	struct change_free *frees;
	size_t free_count;
};

/* A wait for another thread. Path 0 and holder_lane UINT32_MAX: not known. */
struct merge_stall {
	struct segment_stall from;
	uint32_t lane, holder_lane; /* indices in run->lanes */
	uint32_t lock;		    /* index in locks, UINT32_MAX: none */
	uint32_t waiter_path, holder_path, taken_path;
};

struct stalls {
	struct merge_stall *all;
	size_t count;
	uint32_t thinning; /* at least the highest of all lanes */
	uint64_t lost_count;
};

/* How a lock got its name. */
enum lock_naming {
	LOCK_NAMED_BY_PATH,	/* path that used it first */
	LOCK_NAMED_BY_BLOCK,	/* path that allocated its block */
	LOCK_NAMED_BY_VARIABLE, /* variable that it is, or lies in */
	LOCK_NAMED_BY_KIND,	/* the only one of its kind in a process */
};

struct merge_lock {
	uint32_t process; /* index in run->processes */
	uint32_t kind;	  /* enum segment_lock_kind */
	uint64_t address;
	const char *name;
	enum lock_naming naming;
	const char *module; /* file of the variable, or NULL; borrowed */
	uint64_t lock_count, wait_count, wait_ticks, longest_wait_ticks;
	uint64_t hold_count, hold_ticks, longest_hold_ticks;
	uint64_t first_ticks;
	uint32_t first_path;
	uint32_t block_path; /* 0: not known */
	uint64_t block_offset;
	struct histogram waits;
};

/* Lanes are indices in run->lanes; LOCK_NO_LANE: not known. Path 0: not known. */
#define LOCK_NO_LANE UINT32_MAX

struct merge_lock_wait {
	uint32_t lock; /* index in locks */
	uint32_t waiter_lane, holder_lane;
	uint32_t waiter_path, holder_path, taken_path;
	uint64_t count, ticks, longest_ticks;
};

/* A lane, or a path of one, that was not merged yet when a lock or a wait named it. */
struct lock_place {
	uint32_t process, lane_slot, node;
	uint32_t of; /* index of a wait, of a lock or of a stall */
	enum {
		LOCK_PLACE_HOLDER, /* its lane, too */
		LOCK_PLACE_TAKEN,
		LOCK_PLACE_BLOCK,
		LOCK_PLACE_STALL_HOLDER, /* its lane, too */
		LOCK_PLACE_STALL_TAKEN
	} what;
};

/* All zero is empty. */
struct locks {
	struct merge_lock *all;
	struct merge_lock_wait *waits;
	struct lock_place *places;
	size_t count, wait_count, place_count;
	uint64_t folded_count; /* calls and waits that no entry includes */
	struct stalls stalls;
};

#define MARKS_ALL UINT32_MAX /* process of a series of the whole run */

struct marks_value {
	struct segment_mark mark;
	uint32_t process, lane;
	uint32_t waits; /* of a slow step: index of its first in marks.waits; 0: none */
};

struct marks_wait {
	uint32_t path; /* 0: none */
	uint64_t ready_ns, blocked_ns;
};

struct marks_series {
	char name[sizeof(((struct segment_series *)0)->name)];
	enum segment_series_kind kind;
	uint32_t process; /* index, or MARKS_ALL */
	uint64_t count, value_count;
	double sum;
	uint64_t first_ticks, last_ticks;
	int64_t first_live_bytes, last_live_bytes; /* at those marks */
	int64_t growth_bytes; /* of live memory between them; a run's is the sum of
				 processes */
	struct marks_value highest[SEGMENT_SERIES_EXTREMES]; /* the most extreme first */
	struct marks_value lowest[SEGMENT_SERIES_EXTREMES];
	uint32_t highest_count, lowest_count;
	struct segment_series_span
		*spans; /* by time; at most SEGMENT_SERIES_SPANS when done */
	size_t span_count;
	struct marks_value *latest; /* by time; at most SEGMENT_SERIES_WINDOW when done */
	size_t latest_count;
	uint64_t histogram[SEGMENT_SERIES_BUCKETS];
	uint64_t ready_ns, blocked_ns; /* of all steps */
	int is_unsplit;		       /* for some steps that is not known */
	struct marks_wait *waits;      /* by path, when done; may be incomplete */
	size_t wait_count;
};

/* All zero is empty. */
struct marks {
	struct marks_series **all;
	size_t count;
	struct marks_wait *waits; /* SEGMENT_STEP_WAITS per slow step; [0] is none */
	size_t wait_count;
};

struct merge_span {
	uint64_t begin_ticks, end_ticks, ticks;
	uint64_t ready_ns, blocked_ns;
	uint32_t lane;		  /* index in run->lanes */
	uint32_t process, thread; /* indices in run->processes, and its threads */
	uint32_t path;
	uint32_t kind;
	uint32_t name; /* of a step: index in names */
	int is_split;  /* are its waits known? */
};

#define SPANS_NO_THREAD UINT32_MAX

/* All zero is empty. */
struct spans {
	struct merge_span *all; /* within a lane by beginning, the longer first */
	size_t count;
	uint64_t thinned_count, lost_count, joined_count;
	uint64_t complete_ticks; /* from here on all were kept, in each lane */
	uint64_t damaged_count;
};

#define STUDIES_SLOWEST 16u
#define STUDIES_USUAL 32u /* cases around the median */
#define STUDIES_NONE UINT32_MAX

/* What a path did in a case, summed over its nodes. parent: index in the case of the
 * nearest part above it, or STUDIES_NONE. */
struct studies_part {
	uint32_t path, parent;
	int is_first; /* the first time that the path was taken */
	uint64_t call_count, ticks, alloc_count, alloc_bytes, ready_ns, blocked_ns;
};

struct studies_case {
	struct studies_part *parts; /* a parent precedes its children */
	uint32_t part_count;
	uint32_t lane, path; /* 0, as of its first part: a step outside of all calls */
	int is_slow;
	uint64_t begin_ticks, ticks, own_ticks, number;
	uint64_t beside_call_count, beside_ticks, folded_count;
};

struct studies_study {
	uint32_t function, path; /* one of its paths; for steps 0 and one of theirs */
	char step[sizeof(((struct segment_series *)0)->name)]; /* "" for a function */
	enum segment_study_reason reason;
	uint64_t begin_ticks;
	uint64_t call_count, ticks, alone_count, missed_count;
	uint64_t ready_count, ready_ticks, folded_count, cost_ticks;
	struct studies_case *cases; /* the slowest first, then by duration */
	size_t case_count;
};

/* All zero is empty. Sums end at UINT64_MAX. */
struct studies {
	struct studies_study *all;
	size_t count;
	uint64_t lost_count; /* studies without room */
};

/* The value at this fraction of all values in order: the middle of its bucket, kept
 * within the lowest and the highest value. 0 without values. */
double marks_percentile(const struct marks_series *series, double fraction);

/* What hooks cost, in ns. */
struct studies_cost {
	double ns_per_tick, inner_ns, outer_ns, alloc_ns;
};

/* Computes the total and own times of a case's parts in ns, as the program would see them
 * without the hooks. The arrays have part_count elements each. */
void studies_times(const struct studies_case *from, const struct studies_cost *cost,
		   double *ret_total_ns, double *ret_self_ns);

/*
 * What libc calls moved, by process, path and target. Targets of one kind and name are
 * one in all processes.
 */

struct transfers_target {
	uint32_t kind;	  /* enum segment_target_kind */
	const char *name; /* interned in names, except for target 0 */
};

struct transfers_row {
	uint32_t process, path, target;
	uint32_t is_source; /* calls that copied from there */
	int64_t total_ns;
	uint64_t call_count, bytes, small_count, sequential_count, failed_count;
	uint64_t largest_bytes;
};

/* Bytes moved in a process by calls that the kernel counts, too. */
struct transfers_seen {
	uint64_t read_bytes, write_bytes;
};

/* All zero is empty. Sums end at UINT64_MAX. */
struct transfers {
	struct transfers_target *targets; /* [0] is the unknown one */
	size_t target_count;
	struct transfers_row *rows;
	size_t row_count;
	struct transfers_seen *seen; /* by process; may be shorter */
	size_t seen_count;
	uint64_t lost_count, lost_bytes; /* on no known path */
};

/*
 * Samples of a run, each with the path that was innermost with a frame, and the function
 * that its address is in. Must not read the spool.
 */

struct cpu_book;
struct merge;

enum sampled_kind {
	SAMPLED_CODE,	/* in a function */
	SAMPLED_HOOKS,	/* in the recorder */
	SAMPLED_STUBS,	/* in code of its own that only counts */
	SAMPLED_FOLDED, /* the address is not known */
};

#define SAMPLED_NO_LANE                                                                  \
	UINT32_MAX /* of a program without hooks: it has no path either                  \
		    */

/* Rows of a lane follow each other, and are sorted by path. */
struct sampled_row {
	uint32_t lane, path;
	enum sampled_kind kind;
	/* of CODE, in identify.functions: the innermost inlined copy, and the function
	 * whose symbol has the address */
	uint32_t function, outer_function;
	uint32_t place;	 /* of both and what is between, in identify.places */
	uint32_t caller; /* in sampled.callers; SAMPLED_FRAME: the path's own function;
			    0: not known */
	/* whose call had the time: account/sampled/credit.h */
	uint32_t credited_function;
	uint32_t leaf_function; /* IDENTIFY_NONE, or without hooks, below that */
	uint32_t line;		/* of the address, 0: not known */
	const char *file;	/* borrowed from identify */
	uint64_t count, cpu_ns;
};

#define SAMPLED_FRAME UINT32_MAX

/* Who called code that a sample was in, when that is not the path's own. */
struct sampled_caller {
	uint32_t place; /* in identify.places: of the innermost copy at that call */
	uint32_t caller;
};

/* What a lane's header says of all of its samples. */
struct sampled_lane {
	uint32_t lane;
	uint64_t cpu_ns, kernel_ns;
};

/* All zero is empty. */
struct sampled {
	struct sampled_row *rows;
	size_t row_count;
	struct sampled_lane *lanes; /* that have samples, in order */
	size_t lane_count;
	struct sampled_caller *callers; /* [0] is nobody */
	size_t caller_count;
	/* of the run */
	uint64_t count, cpu_ns, kernel_ns, lost_ns;
	uint64_t hook_ns;	/* of HOOKS and STUBS */
	uint64_t outside_count; /* of programs without hooks */
	uint64_t stack_count, cut_stack_count, lost_stack_count, refused_stack_count;
	uint64_t timer_count; /* by timers */
	uint64_t ring_count, refused_count, declined_count;
	int32_t ring_error; /* the last one */
	uint32_t longest_period_us, shortest_period_us;
};

/* The rows of a lane, borrowed. */
const struct sampled_row *sampled_of_lane(const struct sampled *sampled, uint32_t lane,
					  size_t *ret_count);
/* The lane has samples. */
const struct sampled_lane *sampled_header(const struct sampled *sampled, uint32_t lane);

/* The index of a caller in callers. */
uint32_t sampled_caller(struct merge *merge, uint32_t place, uint32_t caller);

/* When nobody asks for callers any more: rows that differ in them become one. */
void sampled_forget_callers(struct sampled *sampled);

/* Of an address in a file of the samples from outside; a return address less 1. */
uint64_t sampled_key(uint32_t module, uint64_t address);
bool sampled_is_recorder(const struct module_list *modules, uint32_t module);

/* Adds the times of rows from `first` on, which are those of the book, to call paths, in
 * a run in which nothing has hooks. */
void sampled_place(struct merge *merge, struct module_list *modules,
		   const struct cpu_book *book, size_t first);

/* Adds samples of programs without hooks: when all lanes are merged, and before functions
 * are summed up. */
void sampled_add_outside(struct merge *merge, const struct cpu_book *book);
