/* SPDX-License-Identifier: MIT */
/* Drift of a series, and its plot. */
#include "analyzer/reports/steps/parts.h"

#include "common/base/xalloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PLOT_POINTS 60
#define LEAST_VALUES 8 /* for a quarter of two */
#define PEAK_MOST 1e9  /* longer figures do not fit beside a plot */

struct quarter {
	double sum, count;
};

/* The first row whose series_id is at least this; the table is sorted by it. */
static size_t first_row(const struct table *table, int column, int64_t series_id)
{
	size_t low = 0, high = table->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cell_whole(table_row(table, middle) + column) < series_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct steps_rows steps_rows_of(const struct table *table, int64_t series_id)
{
	int column = table_column(table, "series_id");
	struct steps_rows rows = {first_row(table, column, series_id), table->row_count};

	if (series_id < INT64_MAX)
		rows.end = first_row(table, column, series_id + 1);
	return rows;
}

/* Takes `wanted` values from one end. A span that reaches over the quarter's end counts
 * with its share. */
static struct quarter take(const struct table *spans, struct steps_rows rows,
			   double wanted, bool from_end)
{
	struct quarter quarter = {0, 0};

	for (size_t i = rows.first; i < rows.end && quarter.count < wanted; i++) {
		size_t row = from_end ? rows.end - 1 - (i - rows.first) : i;
		double count = cell_number(table_cell(spans, row, "value_count"));
		double share = 1;

		if (!(count > 0))
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
	struct steps_rows rows = steps_rows_of(spans, series_id);
	struct quarter first, last;
	double count = 0;

	for (size_t i = rows.first; i < rows.end; i++)
		count += cell_number(table_cell(spans, i, "value_count"));
	if (count < LEAST_VALUES)
		return false;
	first = take(spans, rows, count / 4, false);
	last = take(spans, rows, count / 4, true);
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
	struct steps_rows rows = steps_rows_of(spans, series_id);
	struct section *section;

	for (size_t i = 0; i < PLOT_POINTS; i++)
		points[i] = NAN;
	for (size_t i = rows.first; i < rows.end; i++) {
		double count = cell_number(table_cell(spans, i, "value_count"));
		double mean = cell_number(table_cell(spans, i, "sum")) / count;
		size_t first, last;

		if (!isfinite(mean))
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
