/* SPDX-License-Identifier: MIT */
/*
 * What a run has besides the sums of its paths: locks and who waited for whom, steps and
 * counters, long calls, and cases. A file of that name adds those of each lane (place.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/merge/histogram.h"
#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/libc/records.h"
#include "common/segment_series.h"
#include "common/segment_tree.h"
#include "common/slow/studies.h"

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
	char *name; /* owned */
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
	struct map map;	       /* by process and address */
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
	struct marks_series **all; /* owned, each separately allocated */
	size_t count;
	struct marks_wait *waits; /* SEGMENT_STEP_WAITS per slow step; [0] is none */
	size_t wait_count;
	struct intern names;
	struct map map; /* name, kind and process to index in all */
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
	struct intern names;
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
	struct studies_part *parts; /* owned; a parent precedes its children */
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
	struct studies_case *cases; /* owned; the slowest first, then by duration */
	size_t case_count;
};

/* All zero is empty. Sums end at UINT64_MAX. */
struct studies {
	struct studies_study *all; /* owned */
	size_t count;
	uint64_t lost_count; /* studies without room */
};

/* These also take a struct that is all zero. */
void locks_done(struct locks *locks);
void marks_done(struct marks *marks);
void spans_done(struct spans *spans);
void studies_done(struct studies *studies);

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
