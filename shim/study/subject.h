/* SPDX-License-Identifier: MIT */
/*
 * What has ended and is studied, a call or a step: its study, its tree, and whether it is
 * kept. Runs on: the lane's thread, any context; not inside of itself: subject_begin().
 */
#pragma once

#include "common/slow/studies.h"
#include "shim/study/subtree.h"

#define STUDY_SHARE 32u /* looking takes 1 / 32 of the time of a thread */

/* Paths of studied functions in one lane; the one that was used longest ago goes. */
#define SUBJECT_TREES 16u
#define SUBJECT_INNER 64u

/* The latest mark of a studied step: which calls that are open now were open then. */
struct last_mark {
	uint32_t series;	   /* 1 + its number; 0: none */
	const struct fiber *fiber; /* NULL: there was none yet */
	uint64_t ticks;		   /* of the stack's clock */
};

/* The lane's private memory. */
struct study_lane {
	uint64_t keys[SUBJECT_TREES]; /* of the trees, 0: none */
	struct subtree *trees[SUBJECT_TREES];
	uint64_t use_count;
	uint64_t next_ticks;	       /* no look before, unless it is worth it */
	uint32_t inner[SUBJECT_INNER]; /* nodes within others of their function */
	uint32_t random;
	struct last_mark marks[SEGMENT_STUDIES_MOST];
	struct subtree_parts parts;
};

/* A call that has ended, or a step of a series. */
struct subject {
	uint32_t series; /* 1 + its number; 0: a function's */
	uint64_t key;	 /* of the function */
	enum segment_study_reason reason;
	struct subtree_top top;
	int is_first; /* nobody had been at the node before */
	uint64_t begin_ticks, ticks;
	uint64_t ready_ns; /* of a step */
};

/* The lane's, to itself until the end; NULL: somebody is at it, or there is no room. */
struct study_lane *subject_begin(struct lane_context *context);
void subject_end(struct lane_context *context);

/* The lane's study of it, made when there is none; NULL: there is no room. */
struct segment_study *subject_study(struct lane_context *context,
				    const struct subject *subject, uint64_t now);

/* Its tree, which begins when there is none: to know what the next one does. */
struct subtree *subject_tree(struct lane_context *context, const struct subject *subject,
			     uint64_t now);

/* Keeps it, perhaps. It is counted in the study already. */
void subject_note(struct lane_context *context, struct segment_study *study,
		  const struct subject *subject, uint64_t now);
