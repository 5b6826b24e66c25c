/* SPDX-License-Identifier: MIT */
/*
 * The durations of a function's calls as run.db keeps them (function.histogram in
 * common/schema.sql): how many fell into which bucket. Must not trust the bytes: a
 * damaged file may hold any.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BUCKETS 512

struct histogram {
	/* Buckets with calls, ascending. */
	struct {
		double ticks; /* the bucket's middle */
		double calls;
		double calls_below, ticks_below; /* of all buckets before */
	} buckets[HISTOGRAM_BUCKETS];
	size_t count;
	double calls, ticks; /* sums */
};

/* 0 or -EINVAL: not a histogram. */
int histogram_decode(const void *bytes, size_t size, struct histogram *ret);

/* The duration that this fraction of the calls does not exceed; 0 if there are none. */
double histogram_quantile(const struct histogram *histogram, double fraction);
/* The time that the slowest fraction of the calls took, of all time: 0 to 1. */
double histogram_slowest_share(const struct histogram *histogram, double fraction);

/* The calls' time beyond usual_ticks, each counted with at most most_ticks. */
double histogram_beyond(const struct histogram *histogram, double usual_ticks,
			double most_ticks);

/* Two groups of calls with hardly any between them. */
struct histogram_modes {
	double fast_ticks, slow_ticks; /* mean duration of each */
	double fast_median, slow_median;
	double slow_calls; /* fraction of the calls */
	double slow_share; /* fraction of the time */
};
/*
 * Looks for the gap: where, over at least half an octave, there are fewer calls than
 * valley (a fraction) of the smaller group's; the widest such gap. 1: found, 0: there is
 * none. Each group must have at least least_part of the calls.
 */
int histogram_find_modes(const struct histogram *histogram, double valley,
			 double least_part, struct histogram_modes *ret);
