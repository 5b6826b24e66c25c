/* SPDX-License-Identifier: MIT */
/*
 * Calls and steps that took long, one by one, a part of the contract between the shim and
 * the ingest library. Must not change without a new SEGMENT_VERSION.
 *
 * A lane keeps those that are at least as long as its threshold, which rises when there
 * are too many in a short time and comes down again, never below the run's
 * (segment_run.span_floor_ns). When there is no room left it drops some: what stays are
 * the longest of all, and the longest of each of SEGMENT_SPAN_PARTS equal parts of the
 * time since the first. complete_ticks in the lane says from which length on all are
 * there.
 *
 * They stand in the order of their ends. A writer that died while it made room may have
 * left some of them twice.
 */
#pragma once

#include <stdint.h>

#define SEGMENT_SPAN_LIMIT 4096u /* of a lane */
#define SEGMENT_SPAN_PARTS 64u

enum segment_span_kind {
	SEGMENT_SPAN_CALL = 1,	  /* of a function, a region or libc, with its exit */
	SEGMENT_SPAN_UNWOUND = 2, /* the same, left by a jump or an exception */
	SEGMENT_SPAN_STEP = 3,
};

/* begin_ticks, end_ticks: the run's clock. What lies between them and is not in ticks was
 * not the call's: its stack was left for another one, the recording was paused, or the
 * recorder worked for itself. ready_ns, blocked_ns: of its stack's thread meanwhile, as
 * in struct segment_wait. */
struct segment_span {
	uint64_t begin_ticks, end_ticks;
	uint64_t ticks;
	uint64_t ready_ns, blocked_ns;
	uint32_t node;	 /* of a step: where its end was marked */
	uint32_t thread; /* index in the process's threads, UINT32_MAX: it has no row */
	uint16_t kind;	 /* enum segment_span_kind */
	uint16_t series; /* of a step: index in the lane's series */
	uint32_t pad;
};

_Static_assert(sizeof(struct segment_span) == 56, "segment_span layout");

/*
 * The slowest calls of a function and some usual ones, each with what was done below it:
 * a part of the contract between the shim and the ingest library. Must not change without
 * a new SEGMENT_VERSION.
 *
 * A lane that calls a function which is studied (shim/study/) has a struct segment_study
 * of it, and of the calls that are kept a struct segment_case each: those of study n are
 * the cases [n * SEGMENT_STUDY_CASES, (n + 1) * SEGMENT_STUDY_CASES). A call within
 * another one of the same function is a part of that, and no case.
 *
 * A step is studied likewise. Its node is that of the innermost call that was open at
 * both of its marks, or the lane's root: what was done below that was done in the step.
 * Its first part is that node, with the steps as calls and their time.
 */

#define SEGMENT_STUDIES_MOST 8u /* functions in a lane */
#define SEGMENT_STUDY_SLOWEST 8u
#define SEGMENT_STUDY_USUAL 8u
#define SEGMENT_STUDY_CASES (SEGMENT_STUDY_SLOWEST + SEGMENT_STUDY_USUAL)
#define SEGMENT_CASES_MOST (SEGMENT_STUDIES_MOST * SEGMENT_STUDY_CASES)
#define SEGMENT_CASE_PARTS 127u

/* Why a function is studied. */
enum segment_study_reason {
	SEGMENT_STUDY_ASKED = 1, /* PROFSHIM_WHY */
	SEGMENT_STUDY_FOUND = 2, /* shim/study/study.h */
};

/* What one path did in one call, all paths below it included in ticks alone. */
struct segment_case_part {
	uint32_t node;	   /* of the lane */
	uint32_t is_first; /* nobody had been there before */
	uint64_t call_count, ticks;
	uint64_t alloc_count, alloc_bytes;
	uint64_t ready_ns, blocked_ns; /* as in struct segment_wait */
};

struct segment_case {
	uint32_t serial;  /* odd while it is written; 0: there is none */
	uint32_t is_slow; /* one of the slowest; else one of all, by chance */
	uint64_t begin_ticks, ticks;
	uint64_t own_ticks; /* without those that it waited for a CPU */
	uint64_t number;    /* of the calls of the study, from 1 */
	/* calls of the same path right before it that are in its parts, too */
	uint64_t beside_call_count, beside_ticks;
	uint32_t node; /* of the function, in the lane */
	uint32_t pad;
	uint32_t part_count;
	uint32_t folded_count; /* parts that there was no room for: those of least time */
	struct segment_case_part parts[SEGMENT_CASE_PARTS];
};

struct segment_study {
	uint64_t begin_ticks;
	uint32_t reason; /* enum segment_study_reason */
	uint32_t node;	 /* one of its paths: of the first call */
	uint32_t series; /* of a step: 1 + its index in the lane; 0: a function's */
	uint32_t pad;
	uint64_t call_count,
		ticks;	       /* of its calls since then, that are no part of others */
	uint64_t alone_count;  /* of them, those that could have become usual ones */
	uint64_t missed_count; /* of those that were slow, 4 times the mean: not looked at
				*/
	/* slow, and no more than most without the time that they waited for a CPU */
	uint64_t ready_count, ready_ticks;
	uint64_t folded_count; /* paths below it that are not looked at one by one */
	uint64_t cost_ticks;   /* of looking */
};

_Static_assert(sizeof(struct segment_case_part) == 56, "segment_case_part layout");
_Static_assert(sizeof(struct segment_case) == 72 + 56 * SEGMENT_CASE_PARTS,
	       "segment_case layout");
_Static_assert(sizeof(struct segment_study) % 8 == 0, "segment_study layout");
