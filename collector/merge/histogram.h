/* SPDX-License-Identifier: MIT */
/* Durations of one function, merged over lanes and processes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"

/* Only the buckets [first, first + count) have memory: a function's durations lie close
 * together, and a run may have 100,000 functions. All zero is an empty histogram. */
struct histogram {
	uint64_t *counts;
	uint32_t first, count;
};

/* Adds calls to a bucket. */
void histogram_add(struct histogram *histogram, uint32_t bucket, uint64_t calls);

/* Adds the histogram of one function in one lane, its wrapped buckets included. */
void histogram_add_segment(struct histogram *histogram,
			   const struct segment_function *from);

/* Adds part of whole of its calls, the same of each bucket as far as whole calls go. */
void histogram_add_part(struct histogram *histogram, const struct segment_function *from,
			uint64_t part, uint64_t whole);

/* Middle of the bucket, in ticks, that holds the call at this fraction of all calls in
 * order of duration (0.5: the median). 0 when empty: see histogram_is_empty(). */
double histogram_percentile(const struct histogram *histogram, double fraction);

int histogram_is_empty(const struct histogram *histogram);

/* As run.db keeps it: pairs of LEB128 numbers, bucket step and count. *ret is owned by
 * the caller (free), NULL when the histogram is empty. */
void histogram_encode(const struct histogram *histogram, uint8_t **ret, size_t *ret_size);

void histogram_done(struct histogram *histogram);
