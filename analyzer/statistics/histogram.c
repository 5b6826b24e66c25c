/* SPDX-License-Identifier: MIT */
/* Decodes and judges histograms of durations. Must not allocate. */
#include "analyzer/statistics/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A gap is at least half an octave wide: four of the eight buckets of a power of two. */
#define GAP_RATIO 1.4142135623730951
/* Largest bucket whose middle fits a double. */
#define BUCKET_LIMIT 488

static bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
	unsigned shift = 0;

	*ret = 0;
	while (*at < end && shift < 64) {
		uint8_t byte = *(*at)++;

		*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
		shift += 7;
	}
	return false;
}

/* Bucket b < 8 holds the value b; 8 + 8*o + s holds [(8+s) << o, (9+s) << o). */
static double middle(uint64_t bucket)
{
	double lower, width;

	if (bucket < 8)
		return (double)bucket;
	width = ldexp(1, (int)(bucket >> 3) - 1);
	lower = (double)(8 + (bucket & 7)) * width;
	return lower + (width - 1) / 2;
}

int histogram_decode(const void *bytes, size_t size, struct histogram *ret)
{
	const uint8_t *at = bytes, *end = size ? at + size : at; /* NULL: no bytes */
	uint64_t bucket = 0, step, calls;

	memset(ret, 0, sizeof(*ret));
	while (at < end) {
		if (!take_varint(&at, end, &step) || !take_varint(&at, end, &calls) ||
		    (ret->count && !step) || step > BUCKET_LIMIT)
			return -EINVAL;
		bucket += step;
		if (bucket > BUCKET_LIMIT)
			return -EINVAL;
		ret->buckets[ret->count].ticks = middle(bucket);
		ret->buckets[ret->count].calls = (double)calls;
		ret->buckets[ret->count].calls_below = ret->calls;
		ret->buckets[ret->count].ticks_below = ret->ticks;
		ret->calls += (double)calls;
		ret->ticks += (double)calls * middle(bucket);
		ret->count++;
	}
	return 0;
}

/* The duration that this many calls do not exceed. */
static double duration_of(const struct histogram *histogram, double wanted)
{
	double seen = 0;

	for (size_t i = 0; i < histogram->count; i++) {
		seen += histogram->buckets[i].calls;
		if (seen >= wanted)
			return histogram->buckets[i].ticks;
	}
	return 0;
}

double histogram_quantile(const struct histogram *histogram, double fraction)
{
	return duration_of(histogram, ceil(histogram->calls * fraction));
}

double histogram_slowest_share(const struct histogram *histogram, double fraction)
{
	double left = histogram->calls * fraction, ticks = 0;

	for (size_t i = histogram->count; i-- > 0 && left > 0;) {
		double calls = fmin(left, histogram->buckets[i].calls);

		ticks += calls * histogram->buckets[i].ticks;
		left -= calls;
	}
	return histogram->ticks > 0 ? ticks / histogram->ticks : 0;
}

double histogram_beyond(const struct histogram *histogram, double usual_ticks,
			double most_ticks)
{
	double ticks = 0;

	for (size_t i = 0; i < histogram->count; i++)
		ticks += histogram->buckets[i].calls *
			 fmin(fmax(0, histogram->buckets[i].ticks - usual_ticks),
			      most_ticks);
	return ticks;
}

/* The modes on both sides of a gap; buckets `from` and `to` belong to the modes. */
static bool judge(const struct histogram *histogram, size_t from, size_t to,
		  double valley, double least_part, struct histogram_modes *ret)
{
	double fast = histogram->buckets[from + 1].calls_below;
	double fast_ticks = histogram->buckets[from + 1].ticks_below;
	double below = histogram->buckets[to].calls_below;
	double below_ticks = histogram->buckets[to].ticks_below;
	double slow = histogram->calls - below, between = below - fast;

	if (fast < least_part * histogram->calls ||
	    slow < least_part * histogram->calls || between > valley * fmin(fast, slow))
		return false;
	ret->fast_ticks = fast_ticks / fast;
	ret->slow_ticks = (histogram->ticks - below_ticks) / slow;
	ret->fast_median = duration_of(histogram, ceil(fast / 2));
	ret->slow_median = duration_of(histogram, below + ceil(slow / 2));
	ret->slow_calls = slow / histogram->calls;
	ret->slow_share = (histogram->ticks - below_ticks) / histogram->ticks;
	return true;
}

int histogram_find_modes(const struct histogram *histogram, double valley,
			 double least_part, struct histogram_modes *ret)
{
	struct histogram_modes modes;
	double widest = GAP_RATIO;

	if (!(histogram->ticks > 0))
		return 0;
	for (size_t from = 0; from + 1 < histogram->count; from++) {
		for (size_t to = from + 1; to < histogram->count; to++) {
			double ratio = histogram->buckets[to].ticks /
				       fmax(1, histogram->buckets[from].ticks);

			if (ratio <= widest ||
			    !judge(histogram, from, to, valley, least_part, &modes))
				continue;
			widest = ratio;
			*ret = modes;
		}
	}
	return widest > GAP_RATIO;
}
