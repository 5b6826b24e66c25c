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

struct time_error {
	float hooks;	 /* of what a pair of hooks costs */
	float split;	 /* of which part of that lies inside the call's own interval */
	float allocs;	 /* of what recording an allocation costs */
	float counted;	 /* of what a call costs that is only counted */
	float placed;	 /* of which path's the time was */
	float grain;	 /* ns that one sample stands for; the largest. 0: none did */
	double variance; /* of chance, ns squared */
	double samples;	 /* of that of samples, by Poisson: their number times grain^2 */
	double shared;	 /* of variance and samples, what totals do not have */
};

void time_error_add(struct time_error *to, const struct time_error *more);

/* Any part of most_ns may be the one's or the other's: which, is not known. */
void time_error_doubt(struct time_error *one, struct time_error *other, double most_ns);

/* Half of the interval that has the true time in 95 of 100 cases; 0 only when nothing is
 * wrong. Numbers that are none count as the longest time. most_ns: it is no longer than
 * that, as hooks only add to what was recorded. Of a time by itself, and of one with all
 * below it. */
int64_t time_error_half_width(const struct time_error *error, int64_t time_ns,
			      int64_t most_ns);
int64_t time_error_total_half_width(const struct time_error *error, int64_t time_ns,
				    int64_t most_ns);
