/* SPDX-License-Identifier: MIT */
/*
 * What all paths below one node have done since they were asked last. Runs on: the lane's
 * thread; not inside of itself (study.c holds study_busy).
 *
 * The nodes of a call tree only ever count upwards. Who keeps a copy of what those below
 * a node had counted knows at the end of a call of it what was done in that call: the
 * difference. A node that was not there when the copy was made has begun at 0. No call
 * below has to do anything for it.
 */
#pragma once

#include "common/segment_slow.h"
#include "shim/lane/lane.h"

/* Paths below one node whose numbers are remembered: what those have done that came later
 * stays in the ticks of the ones above them, unless it was their first time. */
#define SUBTREE_PATHS 512u
/* Parts of one call that are looked at. */
#define SUBTREE_PARTS 1024u

/* The node itself, at the moment when it is asked: of a step, which is no node's own
 * time, what its steps had until then. Of the frames above `open` the calls are open, and
 * what they have taken so far counts; NULL: there are none. now: by the clock of the
 * stack. */
struct subtree_top {
	uint32_t node;
	uint64_t call_count, ticks;
	const struct segment_frame *open;
	uint64_t now;
};

/* A node, and what those below it had when they were asked last: some 28 KiB. */
struct subtree {
	uint32_t node;	  /* 0: none */
	uint32_t scanned; /* nodes from here on are new */
	uint32_t path_count;
	uint32_t folded_count;	    /* new paths for which there was no room */
	uint64_t call_count, ticks; /* of the node itself, then */
	uint32_t step_count; /* nodes that were read to ask, the last time; 0: never */
	uint64_t cost_ticks; /* of asking, the last time */
	uint64_t last_use;
	struct segment_case_part paths[SUBTREE_PATHS];
};

/* What was done, by path, the node itself first; `node` of each is set. */
struct subtree_parts {
	uint32_t count;
	uint64_t folded_count; /* paths that are not among them */
	uint64_t ready_ns;     /* of all */
	struct segment_case_part all[SUBTREE_PARTS];
};

/* Begins with a node: with what is there now, or, when that is its first call ever, with
 * nothing. */
void subtree_begin(struct subtree *tree, const struct lane_context *context,
		   const struct subtree_top *top, int is_first);

/* What has been done since; parts NULL: nobody wants to know. */
void subtree_ask(struct subtree *tree, const struct lane_context *context,
		 const struct subtree_top *top, struct subtree_parts *parts);

/*
 * The places of a study's cases in the lane, and how one is written. Runs on: as study.h.
 * A reader finds a case whole, or half of it with an odd serial.
 */

/* A call that has ended, as in struct segment_case. */
struct keep_call {
	uint64_t begin_ticks, ticks, number;
	uint64_t beside_call_count, beside_ticks;
	uint64_t ready_ns; /* as far as that is known beside its parts */
	uint32_t node;
};

/* The study's SEGMENT_STUDY_CASES. */
struct segment_case *keep_cases(const struct lane_context *context,
				const struct segment_study *study);

/* Where one of the slowest is, or would be, that took so long: free, or that of the least
 * of them. NULL: it is none of them. */
struct segment_case *keep_slow_place(struct segment_case *cases, uint64_t ticks);

void keep_write(struct segment_case *to, const struct keep_call *call,
		const struct subtree_parts *parts);

/* The same, unless it was slow because it waited for a CPU, which is counted. */
void keep_slow(struct segment_study *study, struct segment_case *place,
	       const struct keep_call *call, const struct subtree_parts *parts);
