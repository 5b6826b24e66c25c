/* SPDX-License-Identifier: MIT */
/*
 * The places of a study's cases in the lane, and how one is written. Runs on: as study.h.
 * A reader finds a case whole, or half of it with an odd serial.
 */
#pragma once

#include "shim/study/subtree.h"

/* A call that has ended, as in struct segment_case. */
struct keep_call {
	uint64_t begin_ticks, ticks, number;
	uint64_t beside_call_count, beside_ticks;
	uint64_t ready_ns; /* as far as that is known beside its parts */
	uint32_t node, thread;
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
