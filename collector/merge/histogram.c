/* SPDX-License-Identifier: MIT */
/* Adding, percentiles and the compact form of histograms. */
#include "collector/merge/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/xalloc.h"

/* Makes room for the buckets [first, end) beside those that are there. */
static void widen(struct pool *pool, struct histogram *histogram, uint32_t first,
		  uint32_t end)
{
	uint32_t old_end = histogram->first + histogram->count;
	uint64_t *counts;

	if (histogram->count) {
		if (first >= histogram->first && end <= old_end)
			return;
		if (histogram->first < first)
			first = histogram->first;
		if (old_end > end)
			end = old_end;
	}
	counts = pool_array(pool, end - first, sizeof(*counts));
	if (histogram->count)
		memcpy(counts + (histogram->first - first), histogram->counts,
		       histogram->count * sizeof(*counts));
	pool_free(histogram->counts);
	histogram->counts = counts;
	histogram->first = first;
	histogram->count = end - first;
}

void histogram_add(struct pool *pool, struct histogram *histogram, uint32_t bucket,
		   uint64_t calls)
{
	widen(pool, histogram, bucket, bucket + 1);
	histogram->counts[bucket - histogram->first] += calls;
}

/* The calls in a bucket, including those that overflowed its 32-bit counter. */
static uint64_t calls_in(const struct segment_function *from, uint32_t bucket)
{
	uint64_t calls = from->histogram[bucket];

	if (bucket == from->overflow_bucket)
		calls += (uint64_t)from->overflow_count << 32;
	return calls;
}

static uint64_t part_of(uint64_t calls, uint64_t part, uint64_t whole)
{
	return (uint64_t)((unsigned __int128)calls * part / whole);
}

void histogram_add_part(struct pool *pool, struct histogram *histogram,
			const struct segment_function *from, uint64_t part,
			uint64_t whole)
{
	uint32_t first = 0, end = SEGMENT_HISTOGRAM_BUCKETS;
	uint64_t seen = 0;

	while (first < end && !calls_in(from, first))
		first++;
	while (end > first && !calls_in(from, end - 1))
		end--;
	if (first < end && part)
		widen(pool, histogram, first, end);
	for (uint32_t i = first; i < end && part; i++) {
		uint64_t before = part_of(seen, part, whole);

		seen += calls_in(from, i);
		histogram->counts[i - histogram->first] +=
			part_of(seen, part, whole) - before;
	}
}

static double middle(uint32_t bucket)
{
	double lower = (double)segment_histogram_lower(bucket);

	if (bucket < 8)
		return lower;
	/* a bucket from 16 on holds whole numbers lower .. upper - 1 */
	return (lower + (double)segment_histogram_lower(bucket + 1) - 1) / 2;
}

static double total(const struct histogram *histogram)
{
	double sum = 0;

	for (uint32_t i = 0; i < histogram->count; i++)
		sum += (double)histogram->counts[i];
	return sum;
}

double histogram_percentile(const struct histogram *histogram, double fraction)
{
	double wanted = ceil(total(histogram) * fraction), seen = 0;
	uint32_t last = 0;

	for (uint32_t i = 0; i < histogram->count; i++) {
		if (!histogram->counts[i])
			continue;
		seen += (double)histogram->counts[i];
		last = histogram->first + i;
		if (seen >= wanted)
			break;
	}
	return middle(last);
}

int histogram_is_empty(const struct histogram *histogram)
{
	return total(histogram) <= 0;
}

void histogram_encode(const struct histogram *histogram, uint8_t **ret, size_t *ret_size)
{
	uint32_t previous = 0;
	struct strbuf blob = {0};

	if (histogram_is_empty(histogram)) {
		*ret = NULL;
		*ret_size = 0;
		return;
	}
	for (uint32_t i = 0; i < histogram->count; i++) {
		uint32_t bucket = histogram->first + i;

		if (!histogram->counts[i])
			continue;
		strbuf_put_leb128(&blob, bucket - previous);
		strbuf_put_leb128(&blob, histogram->counts[i]);
		previous = bucket;
	}
	*ret = (uint8_t *)blob.data;
	*ret_size = blob.size;
}
