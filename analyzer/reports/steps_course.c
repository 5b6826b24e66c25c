/* SPDX-License-Identifier: MIT */
/*
 * What this is:  drift of a series, and its plot.
 * Runs on:       prof-analyze, main thread.
 * Must not:      print.
 * See also:      steps.h; common/segment_series.h, where spans come from.
 */
#include "analyzer/reports/steps.h"

#include "analyzer/base/xalloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PLOT_POINTS 60
#define LEAST_VALUES 8 /* for a quarter of two */
#define PEAK_MOST 1e9  /* longer figures do not fit beside a plot */

struct quarter {
	double sum, count;
};

static bool is_of(const struct table *spans, size_t row, int64_t series_id)
{
	return cell_whole(table_cell(spans, row, "series_id")) == series_id;
}

/* Takes `wanted` values from one end. A span that reaches over the quarter's end counts
 * with its share. */
static struct quarter take(const struct table *spans, int64_t series_id, double wanted,
			   bool from_end)
{
	struct quarter quarter = {0, 0};

	for (size_t i = 0; i < spans->row_count && quarter.count < wanted; i++) {
		size_t row = from_end ? spans->row_count - 1 - i : i;
		double count = cell_number(table_cell(spans, row, "value_count"));
		double share = 1;

		if (!is_of(spans, row, series_id) || !(count > 0))
			continue;
		if (quarter.count + count > wanted)
			share = (wanted - quarter.count) / count;
		quarter.count += share * count;
		quarter.sum += share * cell_number(table_cell(spans, row, "sum"));
	}
	return quarter;
}

bool steps_drift(const struct table *spans, int64_t series_id, double *ret_percent)
{
	struct quarter first, last;
	double count = 0;

	for (size_t i = 0; i < spans->row_count; i++)
		if (is_of(spans, i, series_id))
			count += cell_number(table_cell(spans, i, "value_count"));
	if (count < LEAST_VALUES)
		return false;
	first = take(spans, series_id, count / 4, false);
	last = take(spans, series_id, count / 4, true);
	if (first.sum == 0)
		return false;
	*ret_percent = 100 * (last.sum / last.count - first.sum / first.count) /
		       fabs(first.sum / first.count);
	return isfinite(*ret_percent);
}

static size_t point_at(int64_t time_ns, int64_t span_ns)
{
	double at = (double)time_ns / (double)span_ns * PLOT_POINTS;

	return at >= PLOT_POINTS ? PLOT_POINTS - 1 : at > 0 ? (size_t)at : 0;
}

/* The legend has room for nine. */
static double four_digits(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", value);
	return strtod(text, NULL);
}

void steps_plot(struct doc *doc, const struct table *spans, int64_t series_id,
		const char *title, enum column_type type, int64_t span_ns)
{
	double *points = xreallocarray(NULL, PLOT_POINTS, sizeof(*points)), peak = 0;
	struct section *section;

	for (size_t i = 0; i < PLOT_POINTS; i++)
		points[i] = NAN;
	for (size_t i = 0; i < spans->row_count; i++) {
		double count = cell_number(table_cell(spans, i, "value_count"));
		double mean = cell_number(table_cell(spans, i, "sum")) / count;
		size_t first, last;

		if (!is_of(spans, i, series_id) || !isfinite(mean))
			continue;
		first = point_at(cell_whole(table_cell(spans, i, "first_ns")), span_ns);
		last = point_at(cell_whole(table_cell(spans, i, "last_ns")), span_ns);
		for (size_t j = first; j <= last; j++)
			if (!(points[j] >= mean))
				points[j] = mean;
		if (mean > peak)
			peak = mean;
	}
	if (!(peak > 0) || (type != COLUMN_NSEC && peak >= PEAK_MOST)) {
		free(points);
		return;
	}
	section = doc_plot(doc, "course_plot", doc_copy(doc, title), type, points,
			   PLOT_POINTS);
	section->peak = type == COLUMN_NSEC ? peak : four_digits(peak);
	section->span_ns = span_ns;
}
