/* SPDX-License-Identifier: MIT */
/* The course of a series over the run, for the reports of steps. */
#pragma once

#include "analyzer/reports/report.h"

struct steps_rows {
	size_t first, end;
};

/* The rows of a table, sorted by its column series_id, that are of one series. */
struct steps_rows steps_rows_of(const struct table *table, int64_t series_id);

/* Mean of the last quarter of the values against that of the first, in percent, over a
 * table of spans (columns series_id, value_count, sum; by series and time). False: fewer
 * than 8 values, or a first quarter that is zero. */
bool steps_drift(const struct table *spans, int64_t series_id, double *ret_percent);

/* Draws the means of the spans over [0, span_ns], unless none is above 0 or the peak does
 * not fit beside it.
 * title is copied. */
void steps_plot(struct doc *doc, const struct table *spans, int64_t series_id,
		const char *title, enum column_type type, int64_t span_ns);

/* Cells of a table of series with first_ns, last_ns and series_id: per_second, per_hour
 * and, where the table has it, rate, from the first mark to the last; drift_percent and
 * drift. */
void steps_set_rate(struct table *table, size_t row, double count);
void steps_set_drift(struct table *table, size_t row, const struct table *spans);
/* Four digits and a unit; sign: a plus before what is above 0. */
struct cell steps_figure(struct table *table, double value, const char *unit, bool sign);
/* Bytes more or less. */
struct cell steps_growth(struct table *table, double bytes);
/* So many in some time: those that are whole numbers get their commas. */
struct cell steps_rate(struct table *table, double value);

/* Adds a small table of the steps of the run to another report; nothing without steps. */
enum exit_status steps_add_brief(struct report_input *input, struct doc *doc,
				 size_t limit);
