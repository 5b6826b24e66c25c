/* SPDX-License-Identifier: MIT */
/* What this is: numbers for people. */
#include "analyzer/model/units.h"
#include "tests/unit/tests.h"

#include <math.h>

static struct strbuf buffer;

static const char *nsec(int64_t value)
{
	strbuf_reset(&buffer);
	units_nsec(&buffer, value);
	return strbuf_text(&buffer);
}

static const char *bytes(int64_t value)
{
	strbuf_reset(&buffer);
	units_bytes(&buffer, value);
	return strbuf_text(&buffer);
}

static const char *count(int64_t value)
{
	strbuf_reset(&buffer);
	units_count(&buffer, value);
	return strbuf_text(&buffer);
}

static const char *percent(double value)
{
	strbuf_reset(&buffer);
	units_percent(&buffer, value);
	return strbuf_text(&buffer);
}

static const char *limit(double value, const char *unit)
{
	strbuf_reset(&buffer);
	units_limit(&buffer, value, unit);
	return strbuf_text(&buffer);
}

/* Costs are given in parts of a nanosecond. */
TEST(small_limits_keep_their_fraction)
{
	assert_string_equal(limit(0.02, "ns"), "0.02ns");
	assert_string_equal(limit(1.8, "ns"), "1.8ns");
	assert_string_equal(limit(8, "ns"), "8ns");
	assert_string_equal(limit(0, "ns"), "0");
	assert_string_equal(limit(99.7, "ns"), "100ns");
	assert_string_equal(limit(5e8, "ns"), "500ms");
	assert_string_equal(limit(1e5, "per_s"), "100,000/s");
}

TEST(times_scale)
{
	assert_string_equal(nsec(0), "0");
	assert_string_equal(nsec(1), "1ns");
	assert_string_equal(nsec(999), "999ns");
	assert_string_equal(nsec(1000), "1.00us");
	assert_string_equal(nsec(9994), "9.99us");
	assert_string_equal(nsec(9995), "10.0us");
	assert_string_equal(nsec(99949), "99.9us");
	assert_string_equal(nsec(99950), "100us");
	assert_string_equal(nsec(999499), "999us");
	assert_string_equal(nsec(999500), "1.00ms");
	assert_string_equal(nsec(1234567890), "1.23s");
	assert_string_equal(nsec(90ll * 60 * 1000000000), "90.0min");
	assert_string_equal(nsec(100ll * 3600 * 1000000000), "100h");
	assert_string_equal(nsec(-1500), "-1.50us");
	assert_string_equal(nsec(INT64_MAX), "2562048h");
	assert_string_equal(nsec(INT64_MIN), "-2562048h");
}

static const char *estimate(int64_t value, int64_t error)
{
	strbuf_reset(&buffer);
	units_nsec_error(&buffer, value, error, " +-");
	return strbuf_text(&buffer);
}

TEST(estimates_show_their_error)
{
	assert_string_equal(estimate(1200000000, 0), "1.20s");
	assert_string_equal(estimate(1200000000, 100000000), "1.20s +-8%");
	/* Half of the last digit and less is none: exact numbers look exact. */
	assert_string_equal(estimate(1200000000, 6000000), "1.20s");
	assert_string_equal(estimate(1200000000, 6100000), "1.20s +-1%");
	assert_string_equal(estimate(20000000, 19900000), "20.0ms +-100%");
	assert_string_equal(estimate(-1500, 300), "-1.50us +-20%");
}

TEST(what_is_not_known_is_no_number)
{
	assert_string_equal(estimate(20000000, 20000000), "<40.0ms");
	assert_string_equal(estimate(20000000, 60000000), "<80.0ms");
	assert_string_equal(estimate(0, 500), "<500ns");
	assert_string_equal(estimate(0, 0), "0");
	assert_string_equal(estimate(INT64_MAX, INT64_MAX), "<1281024h");
	assert_true(units_is_known(0, 0));
	assert_true(units_is_known(2, 1));
	assert_false(units_is_known(1, 1));
	assert_false(units_is_known(0, 1));
	/* A damaged file. */
	assert_true(units_is_known(1, -5));
	assert_true(units_is_known(1, NAN));
}

TEST(sizes_scale)
{
	assert_string_equal(bytes(0), "0");
	assert_string_equal(bytes(1023), "1023B");
	assert_string_equal(bytes(1024), "1.00KiB");
	assert_string_equal(bytes(1024 * 999), "999KiB");
	assert_string_equal(bytes(1024 * 1000), "0.98MiB");
	assert_string_equal(bytes(1 << 20), "1.00MiB");
	assert_string_equal(bytes(INT64_MAX), "8.00EiB");
	assert_string_equal(bytes(-2048), "-2.00KiB");
}

TEST(counts_are_exact)
{
	assert_string_equal(count(0), "0");
	assert_string_equal(count(999), "999");
	assert_string_equal(count(1000), "1,000");
	assert_string_equal(count(38204113), "38,204,113");
	assert_string_equal(count(-1234), "-1,234");
	assert_string_equal(count(INT64_MAX), "9,223,372,036,854,775,807");
	assert_string_equal(count(INT64_MIN), "-9,223,372,036,854,775,808");
	strbuf_reset(&buffer);
	units_counted(&buffer, 1, "call");
	units_counted(&buffer, 2000, "call");
	assert_string_equal(strbuf_text(&buffer), "1 call2,000 calls");
	strbuf_reset(&buffer);
	units_counted(&buffer, 7537, "process");
	units_counted(&buffer, 1, "process");
	units_counted(&buffer, 2, "entry");
	units_counted(&buffer, 0, "delay");
	units_counted(&buffer, 3, "last branch");
	assert_string_equal(strbuf_text(&buffer),
			    "7,537 processes1 process2 entries0 delays3 last branches");
}

TEST(percents_do_not_round_to_the_ends)
{
	assert_string_equal(percent(0), "0.0%");
	assert_string_equal(percent(0.001), "<0.1%");
	assert_string_equal(percent(0.05), "0.1%");
	assert_string_equal(percent(99.94), "99.9%");
	assert_string_equal(percent(99.99), ">99.9%");
	assert_string_equal(percent(100), "100.0%");
	assert_string_equal(percent(NAN), "-");
	assert_true(units_share(1, 0) == 0);
	assert_true(units_share(1, 4) == 25);
}

static int clean_up(void **state)
{
	(void)state;
	strbuf_free(&buffer);
	return 0;
}

TEST_GROUP(NULL, clean_up)
