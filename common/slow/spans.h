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
