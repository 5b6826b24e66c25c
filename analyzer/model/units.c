/* SPDX-License-Identifier: MIT */
/*
 * Scaling of times, sizes and counts for people. Runs on: prof-analyze, any thread;
 * LC_NUMERIC must be "C". Must not be used for json and csv, which carry raw numbers.
 */
#include "analyzer/model/units.h"

#include "common/trust.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* 9.995 rounds to 10.00 with two decimals: choose decimals after rounding. */
static void three_digits(struct strbuf *buffer, double value, const char *unit)
{
	double size = fabs(value);
	int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;

	strbuf_printf(buffer, "%.*f%s", decimals, value, unit);
}

void units_nsec(struct strbuf *buffer, int64_t ns)
{
	double value = (double)ns, size = fabs(value);

	if (size < 1e3)
		strbuf_printf(buffer, ns ? "%" PRId64 "ns" : "%" PRId64, ns);
	else if (size < 999.5e3)
		three_digits(buffer, value / 1e3, "us");
	else if (size < 999.5e6)
		three_digits(buffer, value / 1e6, "ms");
	else if (size < 999.5e9)
		three_digits(buffer, value / 1e9, "s");
	else if (size < 600 * 60e9)
		three_digits(buffer, value / 60e9, "min");
	else
		three_digits(buffer, value / 3600e9, "h");
}

bool units_is_known(double value, double error)
{
	return !(error > 0) || fabs(value) > error;
}

/* Half of the last of three digits, relative, in the coarsest case. */
#define ERROR_LEAST 0.005

/* " ±8%" behind the estimate. */
static void units_error(struct strbuf *buffer, double value, double error,
			const char *sign)
{
	if (error > ERROR_LEAST * fabs(value))
		strbuf_printf(buffer, "%s%.0f%%", sign,
			      fmax(1, 100 * error / fabs(value)));
}

void units_nsec_error(struct strbuf *buffer, int64_t ns, int64_t error_ns,
		      const char *sign)
{
	double value = fabs((double)ns), error = (double)error_ns;

	if (!units_is_known(value, error)) {
		strbuf_putc(buffer, '<');
		units_nsec(buffer, (int64_t)fmin(value + error, 0x1p62));
		return;
	}
	units_nsec(buffer, ns);
	units_error(buffer, value, error, sign);
}

void units_bytes(struct strbuf *buffer, int64_t bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes / 1024;
	size_t unit = 0;

	if (bytes > -1024 && bytes < 1024) {
		strbuf_printf(buffer, bytes ? "%" PRId64 "B" : "%" PRId64, bytes);
		return;
	}
	for (; fabs(value) >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0]);
	     unit++)
		value /= 1024;
	three_digits(buffer, value, units[unit]);
}

void units_count(struct strbuf *buffer, int64_t count)
{
	uint64_t rest = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
	char digits[32];
	size_t at = sizeof(digits), written = 0;

	do {
		if (written && written % 3 == 0)
			digits[--at] = ',';
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
		written++;
	} while (rest);
	if (count < 0)
		digits[--at] = '-';
	strbuf_add(buffer, digits + at, sizeof(digits) - at);
}

void units_percent(struct strbuf *buffer, double percent)
{
	if (isnan(percent))
		strbuf_puts(buffer, "-");
	else if (percent > 0 && percent < 0.05)
		strbuf_puts(buffer, "<0.1%");
	else if (percent < 100 && percent >= 99.95)
		strbuf_puts(buffer, ">99.9%");
	else if (percent >= 9999.5)
		strbuf_printf(buffer, "%.3g%%", percent);
	else
		strbuf_printf(buffer, "%.1f%%", percent);
}

void units_factor(struct strbuf *buffer, double value)
{
	three_digits(buffer, value, "x");
}

void units_real(struct strbuf *buffer, double value)
{
	strbuf_printf(buffer, "%.15g", value);
}

static bool ends_in(const char *word, const char *end)
{
	size_t length = strlen(word), size = strlen(end);

	return length >= size && strcmp(word + length - size, end) == 0;
}

/* "processes", "branches", "entries", but "arrays". */
static void put_plural(struct strbuf *buffer, const char *noun)
{
	size_t length = strlen(noun);
	bool is_hissing = ends_in(noun, "s") || ends_in(noun, "x") ||
			  ends_in(noun, "ch") || ends_in(noun, "sh");

	if (length > 1 && ends_in(noun, "y") && !strchr("aeou", noun[length - 2]))
		strbuf_printf(buffer, "%.*sies", (int)length - 1, noun);
	else
		strbuf_printf(buffer, "%s%s", noun, is_hissing ? "es" : "s");
}

void units_counted(struct strbuf *buffer, int64_t count, const char *noun)
{
	units_count(buffer, count);
	strbuf_putc(buffer, ' ');
	if (count == 1)
		strbuf_puts(buffer, noun);
	else
		put_plural(buffer, noun);
}

void units_trust(struct strbuf *buffer, const struct trust_counter *counter,
		 int64_t value)
{
	if (counter->one) {
		units_count(buffer, value);
		strbuf_putc(buffer, ' ');
	}
	strbuf_puts(buffer, counter->one && value == 1 ? counter->one : counter->many);
}

double units_share(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

void units_limit(struct strbuf *buffer, double value, const char *unit)
{
	int64_t whole = fabs(value) < 9e18 ? (int64_t)llround(value) : INT64_MAX;

	/* Keeps decimals: a cost of 0.02 ns for each byte is not 0. */
	if (strcmp(unit, "ns") == 0 && fabs(value) < 10 && value != (double)whole)
		strbuf_printf(buffer, "%.2gns", value);
	else if (strcmp(unit, "ns") == 0)
		units_nsec(buffer, whole);
	else if (strcmp(unit, "bytes") == 0)
		units_bytes(buffer, whole);
	else if (strcmp(unit, "percent") == 0)
		units_percent(buffer, value);
	else if (strcmp(unit, "count") == 0 || fabs(value) >= 1000)
		units_count(buffer, whole);
	else
		strbuf_printf(buffer, "%.3g", value);
	if (strcmp(unit, "per_s") == 0)
		strbuf_puts(buffer, "/s");
}

void units_estimate(struct strbuf *buffer, double value, double error, const char *unit)
{
	bool is_known = units_is_known(value, error);

	if (!is_known)
		strbuf_putc(buffer, '<');
	units_limit(buffer, value + (is_known ? 0 : error), unit);
	if (is_known)
		units_error(buffer, value, error, UNITS_ERROR_SIGN);
}
