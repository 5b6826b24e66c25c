/* SPDX-License-Identifier: MIT */
/* What this is: histograms of durations, decoded and judged. */
#include "analyzer/statistics/histogram.h"
#include "tests/unit/tests.h"

#include <errno.h>
#include <math.h>

static struct histogram histogram;

static int decode(const char *bytes, size_t size)
{
	return histogram_decode(bytes, size, &histogram);
}
#define DECODE(text) decode(text, sizeof(text) - 1)

TEST(buckets_have_middles)
{
	/* 2 calls of 3 ticks; 5 of bucket 16, which holds 16 and 17 */
	assert_int_equal(DECODE("\x03\x02\x0d\x05"), 0);
	assert_int_equal(histogram.count, 2);
	assert_true(histogram.buckets[0].ticks == 3);
	assert_true(histogram.buckets[1].ticks == 16.5);
	assert_true(histogram.calls == 7);
	assert_true(histogram.ticks == 2 * 3 + 5 * 16.5);
	assert_true(histogram_quantile(&histogram, 0.2) == 3);
	assert_true(histogram_quantile(&histogram, 0.5) == 16.5);
	assert_true(histogram_quantile(&histogram, 1) == 16.5);
	/* a count of two bytes */
	assert_int_equal(DECODE("\x00\x80\x01"), 0);
	assert_true(histogram.calls == 128 && histogram.ticks == 0);
	assert_int_equal(decode(NULL, 0), 0);
	assert_true(histogram_quantile(&histogram, 0.5) == 0);
	assert_true(histogram_slowest_share(&histogram, 0.5) == 0);
}

TEST(damage_is_refused)
{
	assert_int_equal(DECODE("\x03"), -EINVAL);
	assert_int_equal(DECODE("\x03\x80"), -EINVAL);
	assert_int_equal(DECODE("\x03\x02\x00\x05"), -EINVAL); /* the same bucket again */
	assert_int_equal(DECODE("\xff\x7f\x01"), -EINVAL);     /* no such bucket */
	assert_int_equal(DECODE("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
			 -EINVAL);
}

TEST(slowest_calls_have_a_share)
{
	/* 99 calls of 1 tick, 1 of bucket 64: 1024 to 1151 ticks */
	assert_int_equal(DECODE("\x01\x63\x3f\x01"), 0);
	assert_true(fabs(histogram_slowest_share(&histogram, 0.01) - 1087.5 / 1186.5) <
		    1e-9);
	assert_true(histogram_slowest_share(&histogram, 1) == 1);
	/* part of a bucket */
	assert_int_equal(DECODE("\x04\x64"), 0);
	assert_true(fabs(histogram_slowest_share(&histogram, 0.25) - 0.25) < 1e-9);
}

TEST(long_calls_count_with_a_bound)
{
	/* 80 calls of 4 ticks, 20 of bucket 64 */
	assert_int_equal(DECODE("\x04\x50\x3c\x14"), 0);
	assert_true(histogram_beyond(&histogram, 4, 1e9) == 20 * 1083.5);
	assert_true(histogram_beyond(&histogram, 4, 100) == 2000);
	assert_true(histogram_beyond(&histogram, 3, 100) == 2080);
	assert_true(histogram_beyond(&histogram, 2000, 100) == 0);
}

TEST(modes_lie_on_two_sides_of_a_gap)
{
	struct histogram_modes modes;

	/* 80 calls of 4 ticks, 20 of bucket 64 */
	assert_int_equal(DECODE("\x04\x50\x3c\x14"), 0);
	assert_int_equal(histogram_find_modes(&histogram, 0.05, 0.05, &modes), 1);
	assert_true(modes.fast_ticks == 4 && modes.slow_ticks == 1087.5);
	assert_true(fabs(modes.slow_calls - 0.2) < 1e-9);
	assert_true(fabs(modes.slow_share - 20 * 1087.5 / (20 * 1087.5 + 320)) < 1e-9);
	assert_true(modes.fast_median == 4 && modes.slow_median == 1087.5);
	/* a tail lifts the mean of the slower calls, not their median: 80 calls of 4
	 * ticks, 18 of 6, 2 of bucket 64 */
	assert_int_equal(DECODE("\x04\x50\x02\x12\x3a\x02"), 0);
	assert_int_equal(histogram_find_modes(&histogram, 0.05, 0.05, &modes), 1);
	assert_true(modes.slow_ticks > 100 && modes.slow_median == 6);
	assert_int_equal(DECODE("\x04\x50\x3c\x14"), 0);
	/* too few are slow */
	assert_int_equal(histogram_find_modes(&histogram, 0.05, 0.25, &modes), 0);
	/* one call in between does not fill the gap, ten do */
	assert_int_equal(DECODE("\x04\x50\x1c\x01\x20\x14"), 0);
	assert_int_equal(histogram_find_modes(&histogram, 0.05, 0.05, &modes), 1);
	assert_int_equal(DECODE("\x04\x50\x1c\x0a\x20\x0a"), 0);
	assert_int_equal(histogram_find_modes(&histogram, 0.05, 0.3, &modes), 0);
	/* no gap: neighbours, from 16 to 24 ticks */
	assert_int_equal(DECODE("\x10\x0a\x01\x0a\x01\x0a\x01\x0a"), 0);
	assert_int_equal(histogram_find_modes(&histogram, 0.05, 0.05, &modes), 0);
}
