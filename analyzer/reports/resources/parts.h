/* SPDX-License-Identifier: MIT */
/* A run's resource samples, their sums over time, and the sections that show them. */
#pragma once

#include "analyzer/reports/trust/facts.h"

/* Columns of the plots: enough for a wide terminal; renderers merge neighbours. */
#define RESOURCE_BINS 120

/* Processes together: busy is their CPU, memory their RSS. Or what they use of a GPU: its
 * utilisation, and memory on it. Of a bin: busy on average, memory and threads at most,
 * and a second's worth of faults and bytes; NAN: no sample. */
struct resource_sums {
	size_t sample_count, moment_count;
	double busy_average_percent,
		busy_peak_percent; /* of one CPU or GPU; NAN: not known */
	double busy_ns;		   /* computed; NAN: not known */
	int64_t memory_average_bytes, memory_peak_bytes;
	int64_t minor_faults, major_faults, read_bytes, write_bytes;
	int64_t thread_peak;
	int64_t span_ns; /* of all bins */
	double busy_bins[RESOURCE_BINS], memory_bins[RESOURCE_BINS],
		thread_bins[RESOURCE_BINS], fault_bins[RESOURCE_BINS],
		read_bins[RESOURCE_BINS], write_bins[RESOURCE_BINS];
};

/* Adds up a table of samples (see resources.sql). Averages are over the time from
 * start_ns to the last sample, bins over that from 0 to the last sample or end_ns. */
void resources_add_up(const struct table *samples, int64_t start_ns, int64_t end_ns,
		      struct resource_sums *ret);

/* A run, or with --process one of its processes. Of GPUs no rows when there is nothing to
 * tell. */
struct resource_data {
	int64_t process_id; /* 0: all */
	int64_t started_ns; /* of that process */
	struct table *samples, *gpu_samples;
	struct resource_sums sums, gpu_sums;
};

/* On failure there is nothing to free. */
enum exit_status resources_load(struct report_input *input, struct resource_data *ret);
void resources_free(struct resource_data *data);

/* Averages and peaks of one process, on one GPU or not. */
void resources_of_process(const struct resource_data *data, int64_t process_id,
			  int64_t started_ns, struct resource_sums *ret);
void resources_of_gpu(const struct resource_data *data, int64_t process_id,
		      int64_t device, struct resource_sums *ret);

/* Is there a number in this column of gpu_samples for this process and device? */
bool resources_knows_gpu(const struct resource_data *data, int64_t process_id,
			 int64_t device, const char *column);

/* A few lines with averages and peaks. */
void resources_add_summary(struct doc *doc, const struct resource_data *data);
/* Curves, and the same as a table of a few rows. */
void resources_add_plots(struct doc *doc, const struct resource_data *data);
void resources_add_times(struct doc *doc, const struct resource_data *data, size_t limit);
/* A row for each process, and one for each process and GPU. */
enum exit_status resources_add_processes(struct report_input *input, struct doc *doc,
					 const struct resource_data *data, size_t limit);
/* Says why there are no samples. */
void resources_add_none(struct doc *doc, const struct run_facts *facts);
