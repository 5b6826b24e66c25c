/* SPDX-License-Identifier: MIT */
/*
 * What recording costs the program, with its error, as it was measured when the run
 * began: an exactly recorded call costs something between the two states of the
 * calibration. Must not believe a number of the spool that is not plausible.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/processes/ticks.h"
#include "common/segment.h"

/* ns; errors are standard deviations. */
struct hook_cost {
	double inner_ns, outer_ns; /* of a pair of hooks, in and around its interval */
	double hook_error_ns;	   /* of the sum of both */
	double split, split_error; /* inner_ns of that sum: the share */
	double path_error;	   /* of the sum, how far one path's is off: the share */
	double counted_ns, counted_error_ns;
	double alloc_ns, alloc_error_ns; /* of a malloc and its free */
};

/* As the run's first process measured it. */
void hook_cost_calibrated(struct hook_cost *ret, const struct segment_run *page,
			  const struct ticks *ticks);

/* Of a lane with so many paths: those of many are farther from the processor than the
 * calibration's. Where nothing was calibrated it stays so. */
void hook_cost_of_paths(struct hook_cost *cost, size_t path_count);

/* What an allocation costs more where the heap has been so large. */
void hook_cost_heap(struct hook_cost *cost, uint64_t peak_bytes);
