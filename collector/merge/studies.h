/* SPDX-License-Identifier: MIT */
/*
 * The cases of all lanes (common/slow/studies.h), by function, or step: one that several
 * lanes studied is one study, with the slowest of all of them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment_series.h"
#include "common/slow/studies.h"

#define STUDIES_SLOWEST 16u
#define STUDIES_USUAL 32u /* those in the middle */
#define STUDIES_NONE UINT32_MAX

/* What a path did in a case. parent: the nearest part above it, by index in the case;
 * STUDIES_NONE: there is none. Sums of nodes that are one path. */
struct studies_part {
	uint32_t path, parent;
	int is_first; /* nobody had been there before */
	uint64_t call_count, ticks, alloc_count, alloc_bytes, ready_ns, blocked_ns;
};

struct studies_case {
	struct studies_part *parts; /* owned; parts before those that they are above */
	uint32_t part_count;
	uint32_t lane,
		path; /* 0, as that of its first part: a step's that no call held */
	int is_slow;
	uint64_t begin_ticks, ticks, own_ticks, number;
	uint64_t beside_call_count, beside_ticks, folded_count;
};

struct studies_study {
	uint32_t function, path; /* one of its paths; of steps 0 and one of theirs */
	char step[sizeof(((struct segment_series *)0)->name)]; /* "": a function's */
	enum segment_study_reason reason;
	uint64_t begin_ticks;
	uint64_t call_count, ticks, alone_count, missed_count;
	uint64_t ready_count, ready_ticks, folded_count, cost_ticks;
	struct studies_case *cases; /* owned; the slowest first, then by duration */
	size_t case_count;
};

/* Sums end at UINT64_MAX. */
struct studies {
	struct studies_study *all; /* owned */
	size_t count;
	uint64_t lost_count; /* studies that there was no room for */
};

struct lane_walk;

struct studies *studies_new(void);
void studies_free(struct studies *studies);

/* Adds those of a lane; what is not plausible is counted as damaged. */
void studies_add_lane(struct studies *studies, const struct lane_walk *walk);

/* All lanes have been added: puts them in order, and leaves out what is too many. */
void studies_finish(struct studies *studies);

/* What hooks cost, in ns. */
struct studies_cost {
	double ns_per_tick, inner_ns, outer_ns, alloc_ns;
};

/* The part's time and what of it is its own, as the program would see them without the
 * hooks; arrays of part_count each. */
void studies_times(const struct studies_case *from, const struct studies_cost *cost,
		   double *ret_total_ns, double *ret_self_ns);
