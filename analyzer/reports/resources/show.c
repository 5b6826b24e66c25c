/* SPDX-License-Identifier: MIT */
/*
 * Resource samples over time: as curves, and as a table of a few rows. Must not show a
 * curve of nothing.
 */
#include "analyzer/reports/resources/parts.h"

#include "common/base/xalloc.h"

#include <math.h>
#include <string.h>

static double highest(const double *bins)
{
	double peak = 0;

	for (size_t i = 0; i < RESOURCE_BINS; i++)
		peak = fmax(peak, bins[i]);
	return peak;
}

/* peak 0: that of the bins. */
static void add_plot(struct doc *doc, const char *name, const char *title,
		     enum column_type type, const double *bins, double peak,
		     const struct resource_sums *sums)
{
	double *points = xreallocarray(NULL, RESOURCE_BINS, sizeof(*points));
	struct section *section;

	memcpy(points, bins, RESOURCE_BINS * sizeof(*points));
	section = doc_plot(doc, name, title, type, points, RESOURCE_BINS);
	section->peak = peak > 0 ? peak : highest(bins);
	section->span_ns = sums->span_ns;
}

static void add_cpu(struct doc *doc, const char *name, const char *title,
		    const struct resource_sums *sums)
{
	if (!isnan(sums->busy_peak_percent))
		add_plot(doc, name, title, COLUMN_PERCENT, sums->busy_bins,
			 sums->busy_peak_percent, sums);
}

/* Rates are rounded up: 0.2 faults a second are some. */
static void add_rate(struct doc *doc, const char *name, const char *title,
		     enum column_type type, const double *bins,
		     const struct resource_sums *sums)
{
	if (highest(bins) > 0)
		add_plot(doc, name, title, type, bins, ceil(highest(bins)), sums);
}

void resources_add_plots(struct doc *doc, const struct resource_data *data)
{
	const struct resource_sums *sums = &data->sums, *gpu = &data->gpu_sums;

	if (sums->sample_count < 2)
		return;
	add_cpu(doc, "cpu_plot", "CPU", sums);
	add_plot(doc, "rss_plot", "RSS", COLUMN_BYTES, sums->memory_bins,
		 (double)sums->memory_peak_bytes, sums);
	add_rate(doc, "fault_plot", "faults/s", COLUMN_COUNT, sums->fault_bins, sums);
	add_rate(doc, "read_plot", "read/s", COLUMN_BYTES, sums->read_bins, sums);
	add_rate(doc, "write_plot", "write/s", COLUMN_BYTES, sums->write_bins, sums);
	if (sums->thread_peak > 1)
		add_plot(doc, "thread_plot", "threads", COLUMN_COUNT, sums->thread_bins,
			 (double)sums->thread_peak, sums);
	if (gpu->sample_count < 2)
		return;
	add_cpu(doc, "gpu_plot", "GPU", gpu);
	add_plot(doc, "gpu_memory_plot", "GPU mem", COLUMN_BYTES, gpu->memory_bins,
		 (double)gpu->memory_peak_bytes, gpu);
}

static const struct column time_columns[] = {
	{"time_ns", "until", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_percent", "CPU", COLUMN_PERCENT, COLUMN_KEEP},
	{"rss_bytes", "RSS", COLUMN_BYTES, COLUMN_KEEP},
	{"faults", "faults", COLUMN_COUNT, COLUMN_KEEP},
	{"read_bytes", "read", COLUMN_BYTES, COLUMN_KEEP},
	{"write_bytes", "written", COLUMN_BYTES, COLUMN_KEEP},
	{"thread_count", "threads", COLUMN_COUNT, COLUMN_KEEP},
};

struct slice {
	size_t from, to; /* bins */
};

static struct cell slice_mean(const double *bins, struct slice slice)
{
	double sum = 0, count = 0;

	for (size_t i = slice.from; i < slice.to; i++) {
		if (isnan(bins[i]))
			continue;
		sum += bins[i];
		count++;
	}
	return count > 0 ? cell_real(sum / count) : (struct cell){.kind = CELL_NULL};
}

static struct cell slice_highest(const double *bins, struct slice slice)
{
	double peak = NAN;

	for (size_t i = slice.from; i < slice.to; i++)
		peak = fmax(peak, bins[i]);
	return isnan(peak) ? (struct cell){.kind = CELL_NULL}
			   : cell_integer(whole_number(peak));
}

/* Of rates: what they come to. */
static struct cell slice_sum(const double *bins, struct slice slice, int64_t span_ns)
{
	double sum = 0;

	for (size_t i = slice.from; i < slice.to; i++)
		sum += isnan(bins[i]) ? 0 : bins[i];
	return cell_integer(
		whole_number(round(sum * (double)span_ns / 1e9 / RESOURCE_BINS)));
}

/* More rows than samples would tell nothing. */
void resources_add_times(struct doc *doc, const struct resource_data *data, size_t limit)
{
	const struct resource_sums *sums = &data->sums;
	size_t rows = limit && limit < RESOURCE_BINS ? limit : RESOURCE_BINS;
	struct table *table;

	if (sums->moment_count < 2)
		return;
	if (rows > sums->moment_count)
		rows = sums->moment_count;
	table = table_new(time_columns, sizeof(time_columns) / sizeof(time_columns[0]));
	for (size_t i = 0; i < rows; i++) {
		struct slice slice = {i * RESOURCE_BINS / rows,
				      (i + 1) * RESOURCE_BINS / rows};
		struct cell rss = slice_highest(sums->memory_bins, slice), *row;

		if (rss.kind == CELL_NULL) /* --process: before its start */
			continue;
		row = table_add_row(table);

		row[0] = cell_integer(whole_number((double)sums->span_ns *
						   (double)slice.to / RESOURCE_BINS));
		if (!isnan(sums->busy_peak_percent))
			row[1] = slice_mean(sums->busy_bins, slice);
		row[2] = rss;
		row[3] = slice_sum(sums->fault_bins, slice, sums->span_ns);
		row[4] = slice_sum(sums->read_bins, slice, sums->span_ns);
		row[5] = slice_sum(sums->write_bins, slice, sums->span_ns);
		row[6] = slice_highest(sums->thread_bins, slice);
	}
	doc_table(doc, "over_time", "Over time", table)->flags = SECTION_HUMAN;
}
