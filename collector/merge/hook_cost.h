/* SPDX-License-Identifier: MIT */
/*
 * What recording costs the program, with its error: from what was measured when the run
 * began, and from the windows of the run itself. Must not believe a number of the spool
 * that is not plausible.
 *
 * An exactly recorded call costs something between the two states of the calibration.
 * One in a window costs more, as nodes and histograms have left the caches since the
 * window before: a pair of windows (struct segment_pair) says how much.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/processes/ticks.h"
#include "common/segment.h"
#include "common/segment_recording.h"

/* ns; errors are standard deviations. */
struct hook_cost {
	double inner_ns, outer_ns; /* of a pair of hooks, in and around its interval */
	double hook_error_ns;	   /* of the sum of both */
	double split, split_error; /* inner_ns of that sum: the share */
	double path_error;	   /* of the sum, how far one path's is off: the share */
	double counted_ns, counted_error_ns;
	double alloc_ns, alloc_error_ns; /* of a malloc and its free */
	/* of a call in a window, in addition: all of it; inside the interval */
	double window_ns, window_error_ns;
	double window_inner_ns, window_inner_error_ns;
	size_t pair_count; /* windows that this rests on; 0: it is not known */
};

/* Fewer pairs say nothing. */
#define HOOK_COST_PAIRS_LEAST 30u
/* More are not looked at. */
#define HOOK_COST_PAIRS_MOST 65536u

/* As the run's first process measured it. */
void hook_cost_calibrated(struct hook_cost *ret, const struct segment_run *page,
			  const struct ticks *ticks);

/* Of a lane with so many paths: those of many are farther from the processor than the
 * calibration's. Where nothing was calibrated it stays so. */
void hook_cost_of_paths(struct hook_cost *cost, size_t path_count);

/* What an allocation costs more where the heap has been so large. */
void hook_cost_heap(struct hook_cost *cost, uint64_t peak_bytes);

/* Puts in what the pairs say, when they are enough and say something. Pairs without calls
 * are left out. */
void hook_cost_measure(struct hook_cost *cost, const struct ticks *ticks,
		       const struct segment_pair *pairs, size_t count);

/* How much longer calls of some functions look in windows than outside of them, ns: what
 * is inside the interval is the middle of that. The order is changed. Fewer functions
 * than HOOK_COST_FUNCTIONS_LEAST say nothing. */
void hook_cost_measure_inner(struct hook_cost *cost, double *longer_ns, size_t count);

#define HOOK_COST_FUNCTIONS_LEAST 5u
