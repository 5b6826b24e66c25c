/* SPDX-License-Identifier: MIT */
/* Rates as columns: in each second of the span. */
#include "analyzer/live/screens/rate_columns.h"

#include <math.h>

#include "common/segment_recording.h"

/* Of a call with what it calls. A call that goes on is in the time, and in the calls of
 * the span in which it began. */
static double mean_ns(const struct rate *rate)
{
	return rate->calls > 0 ? rate->total_ns / rate->calls : NAN;
}

/* What of it is told: the error of its own time. */
static double mean_error_ns(const struct rate *rate)
{
	double error_ns = rate_error_ns(rate);

	return rate->calls > 0 && error_ns > 0 ? error_ns / rate->calls : NAN;
}

double rate_column(const struct rates *rates, const struct rate *rate, size_t column)
{
	double error_ns;

	if (column == RATE_MAX)
		return rate->longest_ns > 0 ? rate->longest_ns : NAN;
	if (column == RATE_MEAN)
		return mean_ns(rate);
	if (column == RATE_MEAN_ERROR)
		return mean_error_ns(rate);
	if (!(rates->span_s > 0))
		return column == RATE_CPU_ERROR ? NAN : 0;
	switch (column) {
	case RATE_CPU:
		return rate_cpu_ns(rate) / rates->span_s;
	case RATE_CPU_ERROR:
		error_ns = rate_error_ns(rate);
		return error_ns > 0 ? error_ns / rates->span_s : NAN;
	case RATE_READY:
		return rate->ready_ns / rates->span_s;
	case RATE_BLOCKED:
		return rate->blocked_ns / rates->span_s;
	case RATE_TOTAL:
		return rate->total_ns / rates->span_s;
	case RATE_CALLS:
		return rate->calls / rates->span_s;
	default:
		return rate->allocs / rates->span_s;
	}
}

bool rate_is_shown(const struct rate *rate)
{
	return rate->is_used &&
	       (rate->calls > 0 || rate->self_ns > 0 || rate->allocs > 0);
}

const char *rate_recording(const struct live *live, uint32_t function)
{
	const struct follow *follow = live->follow;

	if (function >= follow->recording_count)
		return "exact";
	switch (follow->recordings[function]) {
	case SEGMENT_RECORDING_COUNTED:
		return "counted";
	case SEGMENT_RECORDING_OFF:
		return "off";
	default:
		return "exact";
	}
}
