/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the course of a series over the run, for the reports of steps.
 * Must not:      print.
 */
#pragma once

#include "analyzer/reports/common.h"

/* Mean of the last quarter of the values against that of the first, in percent, over a
 * table of spans (columns series_id, value_count, sum; by time). False: fewer than 8
 * values, or a first quarter that is zero. */
bool steps_drift(const struct table *spans, int64_t series_id, double *ret_percent);

/* Draws the means of the spans over [0, span_ns], unless the peak does not fit beside it.
 * title is copied. */
void steps_plot(struct doc *doc, const struct table *spans, int64_t series_id,
		const char *title, enum column_type type, int64_t span_ns);
