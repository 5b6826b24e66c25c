/* SPDX-License-Identifier: MIT */
/*
 * The rows of gpu_sample.
 *
 * The driver tells process numbers only, so a sample belongs to the image that had the
 * number at that time. A number that went to a stranger later finds nobody.
 */
#include "collector/store/ids.h"

#include <sqlite3.h>

#include "collector/processes/gpu_samples.h"
#include "collector/store/row.h"

/* The clocks of process ends and of samples agree to better than that. */
#define SLACK_NS 10000000

static int64_t find_process(const struct ingest *ingest, int32_t pid, int64_t time_ns)
{
	int64_t found = -1;

	for (size_t i = 0; i < ingest->run.process_count; i++) {
		const struct read_process *process = &ingest->run.processes[i];
		const struct ticks *ticks = &ingest->ticks;

		if (process->pid == pid &&
		    ticks_since_start_ns(ticks, process->start_ticks) <= time_ns &&
		    ticks_since_start_ns(ticks, ingest->endings[i].end_ticks) +
				    SLACK_NS >=
			    time_ns)
			found = (int64_t)i; /* processes are in the order of starts */
	}
	return found;
}

static void gpu_row(struct row *row, const struct ingest *ingest,
		    const struct store_ids *ids, const struct gpu_sample *sample)
{
	uint64_t start_ns = ingest->ticks.start_monotonic_ns;
	int64_t time_ns = sample->monotonic_ns > start_ns
				  ? (int64_t)(sample->monotonic_ns - start_ns)
				  : 0;
	int64_t process = find_process(ingest, sample->pid, time_ns);

	if (process < 0)
		return;
	row_int(row, ids->run);
	row_int(row, ids->process + process);
	row_int(row, time_ns);
	row_int(row, sample->device);
	if (sample->memory_bytes >= 0)
		row_int(row, sample->memory_bytes);
	else
		row_null(row);
	if (sample->utilisation_percent >= 0)
		row_real(row, sample->utilisation_percent);
	else
		row_null(row);
	row_next(row);
}

int store_gpu_rows(struct store *store, const struct ingest *ingest,
		   const struct store_ids *ids)
{
	const struct gpu_samples *samples = ingest->watch.gpu;
	struct row row;

	if (!samples || !samples->count)
		return SQLITE_OK;
	row_open(
		&row, store, "gpu_sample",
		"run_id, process_id, time_ns, device, memory_bytes, utilisation_percent");
	for (size_t i = 0; i < samples->count; i++)
		gpu_row(&row, ingest, ids, &samples->samples[i]);
	return row_close(&row);
}
