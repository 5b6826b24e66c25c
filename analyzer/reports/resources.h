/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a run's resource samples added up: averages, peaks, curves.
 */
#pragma once

#include "analyzer/reports/common.h"

/* Columns of the plots: enough for a wide terminal; renderers merge neighbours. */
#define RESOURCE_BINS 120

struct resource_sums {
	size_t sample_count;
	double cpu_average, cpu_peak; /* percent of one CPU, all processes together */
	int64_t rss_average_bytes, rss_peak_bytes;
	int64_t minor_faults, major_faults, read_bytes, write_bytes;
	int64_t thread_peak;
	int64_t span_ns; /* time of the last sample */
	double cpu_bins[RESOURCE_BINS], rss_bins[RESOURCE_BINS]; /* NAN: no sample */
};

/* Adds up a table of samples (see resources.sql). */
void resources_add_up(const struct table *samples, struct resource_sums *ret);
/* The samples of the run. NULL on failure. */
struct table *resources_load(struct report_input *input);
/* Adds a line with averages and peaks, and the curves. */
void resources_add_summary(struct doc *doc, const struct resource_sums *sums);
void resources_add_plots(struct doc *doc, const struct resource_sums *sums);
/* Says why there are no samples. */
void resources_add_none(struct report_input *input, struct doc *doc,
			const struct run_facts *facts);
