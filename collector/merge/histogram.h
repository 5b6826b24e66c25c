/* SPDX-License-Identifier: MIT */
/* Durations of one function, merged over lanes and processes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/pool.h"
#include "common/segment.h"

/* Only the buckets [first, first + count) have memory: a function's durations lie close
 * together, and a run may have 100,000 functions. An empty histogram is all zero. */
struct histogram {
	uint64_t *counts;
	uint32_t first, count;
};

/* Adds calls to a bucket. The counts are in the pool. */
void histogram_add(struct pool *pool, struct histogram *histogram, uint32_t bucket,
		   uint64_t calls);

/* Adds, of one function in one lane, the fraction part / whole of the calls of each
 * bucket, rounded to whole calls, its wrapped buckets included. */
void histogram_add_part(struct pool *pool, struct histogram *histogram,
			const struct segment_function *from, uint64_t part,
			uint64_t whole);

/* The middle, in ticks, of the bucket that holds the call at this fraction of all calls
 * ordered by duration (0.5: the median). 0 when empty: see histogram_is_empty(). */
double histogram_percentile(const struct histogram *histogram, double fraction);

int histogram_is_empty(const struct histogram *histogram);

/* Encodes it as run.db keeps it: pairs of LEB128 numbers, bucket step and count. The
 * caller frees *ret, which is NULL when the histogram is empty. */
void histogram_encode(const struct histogram *histogram, uint8_t **ret, size_t *ret_size);
