/* SPDX-License-Identifier: MIT */
/*
 * What recording costs the program, with its error, as measured when the run began. A
 * recorded call costs something between the two states of the calibration. Must not
 * believe implausible numbers of the spool.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/processes/ticks.h"
#include "common/segment.h"

/* In ns; errors are standard deviations. */
struct hook_cost {
	double inner_ns, outer_ns; /* of a pair of hooks, in and around its interval */
	double hook_error_ns;	   /* of the sum of both */
	double split, split_error; /* shares: inner_ns of that sum */
	double path_error;	   /* share that one path's sum is off */
	double counted_ns, counted_error_ns;
	double alloc_ns, alloc_error_ns; /* of a malloc and its free */
};

/* Takes the costs that the run's first process measured. */
void hook_cost_calibrated(struct hook_cost *ret, const struct segment_run *page,
			  const struct ticks *ticks);

/* Adapts the cost to a lane with this many paths: with many, the hooks' data is farther
 * from the processor than at calibration. Without a calibration it stays 0. */
void hook_cost_of_paths(struct hook_cost *cost, size_t path_count);

/* Raises the cost of an allocation for a heap that has been this large. */
void hook_cost_heap(struct hook_cost *cost, uint64_t peak_bytes);

struct time_error {
	float hooks;	 /* cost of a pair of hooks */
	float split;	 /* which share of it lies inside the call's own interval */
	float allocs;	 /* cost of recording an allocation */
	float counted;	 /* cost of a call that is only counted */
	float placed;	 /* which path the time belongs to */
	float grain;	 /* ns that one sample stands for, the largest; 0: no samples */
	double variance; /* of chance, in ns squared */
	double samples;	 /* of samples, by Poisson: their number times grain^2 */
	double shared;	 /* part of variance and samples that totals do not have */
};

void time_error_add(struct time_error *to, const struct time_error *more);

/* Notes that up to most_ns may belong to the one or the other. */
void time_error_doubt(struct time_error *one, struct time_error *other, double most_ns);

/* Half the width of the interval that holds the true time in 95 of 100 cases, in ns; 0
 * only when there is no error. Invalid numbers give the widest. The time is at most
 * most_ns, as hooks only add to what was recorded. The first is for a path's own time,
 * the second for its total with all below it. */
int64_t time_error_half_width(const struct time_error *error, int64_t time_ns,
			      int64_t most_ns);
int64_t time_error_total_half_width(const struct time_error *error, int64_t time_ns,
				    int64_t most_ns);
