/* SPDX-License-Identifier: MIT */
/*
 * The row of a run, and what is believed of it: run, trust.
 */
#include "collector/store/ids.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "collector/store/bind.h"
#include "collector/store/text.h"

static void bind_machine(struct row *row, const struct ingest *ingest)
{
	struct utsname name;
	char model[256], kernel[256] = "";

	row_count(row, ingest->run.page.cpu_count);
	if (!ingest->ticks.same_boot) { /* collected later, perhaps elsewhere */
		row_null(row);
		row_null(row);
		return;
	}
	store_cpu_model(model, sizeof(model));
	if (uname(&name) == 0)
		snprintf(kernel, sizeof(kernel), "%.60s %.120s", name.sysname,
			 name.release);
	row_copy(row, model);
	row_copy(row, kernel);
}

static void bind_memory(struct row *row, const struct ingest *ingest,
			const struct store_ids *ids)
{
	struct read_memory sum = {0};
	size_t peak = ingest->merge.peak_process;

	for (size_t i = 0; i < ingest->run.process_count; i++) {
		const struct read_memory *memory = &ingest->merge.memory[i];

		merge_add(&sum.alloc_count, memory->alloc_count);
		merge_add(&sum.alloc_bytes, memory->alloc_bytes);
		merge_add(&sum.free_count, memory->free_count);
		merge_add(&sum.free_bytes, memory->free_bytes);
		merge_add(&sum.live_bytes, memory->live_bytes);
	}
	row_count(row, sum.alloc_count);
	row_count(row, sum.alloc_bytes);
	row_count(row, sum.free_count);
	row_count(row, sum.free_bytes);
	if (peak < ingest->run.process_count) {
		row_count(row, ingest->run.processes[peak].peak_bytes);
		row_count(row, sum.live_bytes);
		row_int(row, ids->process + (int64_t)peak);
	} else {
		row_int(row, 0);
		row_count(row, sum.live_bytes);
		row_null(row);
	}
}

/* Half of a 95 % interval, of a standard deviation. */
#define HALF_WIDTH_95 1.96

static void bind_costs(struct row *row, const struct hook_cost *cost, double budget)
{
	row_real(row, cost->inner_ns);
	row_real(row, cost->outer_ns);
	row_real(row, HALF_WIDTH_95 * cost->hook_error_ns);
	row_real(row, HALF_WIDTH_95 * cost->split_error);
	row_real(row, cost->counted_ns);
	row_real(row, HALF_WIDTH_95 * cost->counted_error_ns);
	row_real(row, cost->alloc_ns);
	row_real(row, HALF_WIDTH_95 * cost->alloc_error_ns);
	if (budget > 0 && budget <= 100)
		row_real(row, budget);
	else
		row_null(row);
}

static int insert_run(struct store *store, const struct ingest *ingest,
		      const struct store_ids *ids)
{
	const struct segment_run *page = &ingest->run.page;
	const struct ticks *ticks = &ingest->ticks;
	char token[17], started[96] = "";
	char *command = NULL;
	struct row row;

	snprintf(token, sizeof(token), "%016" PRIx64, page->token);
	if (page->start_realtime_ns)
		store_utc(page->start_realtime_ns, started, sizeof(started));
	if (ingest->first_process != ENDING_NONE)
		command = store_command(&ingest->run.processes[ingest->first_process]);
	row_open(&row, store, "run",
		 "run_id, token, label, command, cwd, host, cpu_count, cpu_model, "
		 "kernel, started_utc, wall_ns, exit_code, exit_signal, complete, level, "
		 "shim_version, clock, ticks_per_second, inner_cost_ns, outer_cost_ns, "
		 "hook_cost_error_ns, split_error, counted_cost_ns, "
		 "counted_cost_error_ns, alloc_cost_ns, alloc_cost_error_ns, "
		 "overhead_percent, "
		 "alloc_count, alloc_bytes, free_count, free_bytes, peak_bytes, "
		 "live_bytes_at_exit, peak_process_id, job, rank, rank_count");
	row_int(&row, ids->run);
	row_text(&row, token);
	row_filled_text(&row, page->label);
	row_filled_text(&row, command);
	row_filled_text(&row, page->cwd);
	row_filled_text(&row, page->host);
	bind_machine(&row, ingest);
	row_filled_text(&row, started);
	row_int(&row, ticks_since_start_ns(ticks, ingest->end_ticks));
	store_bind_status(&row, &ingest->status);
	row_int(&row, ingest->is_complete);
	row_filled_text(&row, page->level);
	row_filled_text(&row, page->shim_version);
	row_text(&row, page->clock_kind == SEGMENT_CLOCK_TSC ? "tsc" : "monotonic");
	row_real(&row, ticks->ticks_per_second);
	bind_costs(&row, &ingest->merge.cost, page->overhead_percent);
	bind_memory(&row, ingest, ids);
	store_bind_job(&row, &page->job);
	if (page->job.name[0] && page->job.rank_count)
		row_int(&row, page->job.rank_count);
	else
		row_null(&row);
	row_next(&row);
	free(command);
	return row_close(&row);
}

static int insert_trust(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	struct row row;

	row_open(&row, store, "trust", "run_id, name, value, text");
	for (size_t i = 0; i < ingest->fact_count; i++) {
		const struct ingest_fact *fact = &ingest->facts[i];

		row_int(&row, ids->run);
		row_text(&row, fact->name);
		row_count(&row, fact->value);
		row_filled_text(&row, fact->text);
		row_next(&row);
	}
	return row_close(&row);
}

int store_last_rows(struct store *store, const struct ingest *ingest,
		    const struct store_ids *ids)
{
	int code = insert_trust(store, ingest, ids);

	return code == SQLITE_OK ? insert_run(store, ingest, ids) : code;
}
