/* SPDX-License-Identifier: MIT */
/*
 * The rows of a run that are not its tree: run, process, lane, thread, resource, trust.
 */
#include "collector/store/ids.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "collector/store/row.h"
#include "collector/store/text.h"

static void bind_status(struct row *row, const struct exit_status *status)
{
	if (status->is_known && !status->exit_signal)
		row_int(row, status->exit_code);
	else
		row_null(row);
	if (status->is_known && status->exit_signal)
		row_int(row, status->exit_signal);
	else
		row_null(row);
}

static void bind_text_or_null(struct row *row, const char *text)
{
	row_text(row, text && *text ? text : NULL);
}

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
	struct merge_memory sum = {0};
	size_t peak = ingest->merge.peak_process;

	for (size_t i = 0; i < ingest->run.process_count; i++) {
		const struct merge_memory *memory = &ingest->merge.memory[i];

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

static void bind_job(struct row *row, const struct segment_job *job)
{
	bind_text_or_null(row, job->name);
	if (job->name[0] && job->rank >= 0)
		row_int(row, job->rank);
	else
		row_null(row);
}

/* A forked child is of its parent's rank. */
static const struct segment_job *job_of(const struct ingest *ingest, size_t index)
{
	while (!ingest->run.processes[index].job.name[0] &&
	       ingest->run.processes[index].forked_from_slot &&
	       ingest->fates[index].parent < index)
		index = ingest->fates[index].parent;
	return &ingest->run.processes[index].job;
}

static int insert_run(struct store *store, const struct ingest *ingest,
		      const struct store_ids *ids)
{
	const struct segment_run *page = &ingest->run.page;
	const struct ticks *ticks = &ingest->ticks;
	char token[17], started[96];
	char *command = NULL;
	struct row row;

	snprintf(token, sizeof(token), "%016" PRIx64, page->token);
	store_utc(page->start_realtime_ns, started, sizeof(started));
	if (ingest->first_process != FATE_NONE)
		command = store_command(&ingest->run.processes[ingest->first_process]);
	row_open(&row, store, "run",
		 "run_id, token, label, command, cwd, host, cpu_count, cpu_model, "
		 "kernel, started_utc, wall_ns, exit_code, exit_signal, complete, level, "
		 "shim_version, clock, ticks_per_second, inner_cost_ns, outer_cost_ns, "
		 "alloc_count, alloc_bytes, free_count, free_bytes, peak_bytes, "
		 "live_bytes_at_exit, peak_process_id, job, rank, rank_count");
	row_int(&row, ids->run);
	row_text(&row, token);
	bind_text_or_null(&row, page->label);
	bind_text_or_null(&row, command);
	bind_text_or_null(&row, page->cwd);
	bind_text_or_null(&row, page->host);
	bind_machine(&row, ingest);
	row_text(&row, started);
	row_int(&row, ticks_since_start_ns(ticks, ingest->end_ticks));
	bind_status(&row, &ingest->status);
	row_int(&row, ingest->is_complete);
	bind_text_or_null(&row, page->level);
	bind_text_or_null(&row, page->shim_version);
	row_text(&row, page->clock_kind == SEGMENT_CLOCK_TSC ? "tsc" : "monotonic");
	row_real(&row, ticks->ticks_per_second);
	row_real(&row, ingest->merge.inner_cost_ns);
	row_real(&row, ingest->merge.outer_cost_ns);
	bind_memory(&row, ingest, ids);
	bind_job(&row, &page->job);
	if (page->job.name[0] && page->job.rank_count)
		row_int(&row, page->job.rank_count);
	else
		row_null(&row);
	row_next(&row);
	free(command);
	return row_close(&row);
}

/* The build-id of a process's program, from the module with its path. */
static void build_id_text(const struct read_process *process, char text[73])
{
	text[0] = 0;
	for (uint32_t i = 0; i < process->module_count; i++) {
		const struct segment_module *module = &process->modules[i];

		if (strcmp(module->path, process->executable) != 0)
			continue;
		for (uint32_t byte = 0; byte < module->build_id_size; byte++)
			snprintf(text + 2 * byte, 3, "%02x", module->build_id[byte]);
		return;
	}
}

static void process_row(struct row *row, const struct ingest *ingest,
			const struct store_ids *ids, size_t index)
{
	const struct read_process *process = &ingest->run.processes[index];
	const struct merge_memory *memory = &ingest->merge.memory[index];
	const struct fate *fate = &ingest->fates[index];
	char *command = store_command(process);
	char build_id[73];

	build_id_text(process, build_id);
	row_int(row, ids->process + (int64_t)index);
	row_int(row, ids->run);
	if (fate->parent != FATE_NONE)
		row_int(row, ids->process + fate->parent);
	else
		row_null(row);
	row_int(row, process->pid);
	bind_text_or_null(row, process->executable);
	bind_text_or_null(row, build_id);
	bind_text_or_null(row, command);
	row_int(row, ticks_since_start_ns(&ingest->ticks, process->start_ticks));
	row_int(row, ticks_duration_ns(&ingest->ticks,
				       (double)(fate->end_ticks - process->start_ticks)));
	bind_status(row, &fate->status);
	row_int(row, fate->is_complete);
	row_count(row, memory->alloc_count);
	row_count(row, memory->alloc_bytes);
	row_count(row, memory->free_count);
	row_count(row, process->peak_bytes);
	row_count(row, memory->live_bytes);
	bind_job(row, job_of(ingest, index));
	row_next(row);
	free(command);
}

static int insert_processes(struct store *store, const struct ingest *ingest,
			    const struct store_ids *ids)
{
	struct row row;

	row_open(&row, store, "process",
		 "process_id, run_id, parent_process_id, pid, executable, build_id, "
		 "command, started_ns, wall_ns, exit_code, exit_signal, complete, "
		 "alloc_count, alloc_bytes, free_count, peak_bytes, live_bytes_at_exit, "
		 "job, rank");
	for (size_t i = 0; i < ingest->run.process_count; i++)
		process_row(&row, ingest, ids, i);
	return row_close(&row);
}

static int insert_lanes(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	struct row row;

	row_open(&row, store, "lane", "lane_id, run_id, process_id");
	for (size_t i = 0; i < ingest->run.lane_count; i++) {
		row_int(&row, ids->lane + (int64_t)i);
		row_int(&row, ids->run);
		row_int(&row, ids->process + ingest->run.lanes[i].process);
		row_next(&row);
	}
	return row_close(&row);
}

/* Index of a lane of the process, or -1. Lanes are in the order of files and slots. */
static int64_t find_lane(const struct read_run *run, const struct read_process *process,
			 uint32_t slot)
{
	size_t low = 0, high = run->lane_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct read_lane *lane = &run->lanes[middle];

		if (lane->file < process->file ||
		    (lane->file == process->file && lane->slot < slot))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == run->lane_count || run->lanes[low].file != process->file ||
	    run->lanes[low].slot != slot)
		return -1;
	return (int64_t)low;
}

/* A thread that has not ended has left no name. Somebody may have seen it; the main
 * thread has the program's. */
static const char *thread_name(const struct ingest *ingest,
			       const struct read_process *process,
			       const struct segment_thread *thread, char buffer[16])
{
	const char *name = NULL, *base;

	if (*thread->name)
		return thread->name;
	if (ingest->watch.resources)
		name = resources_name(ingest->watch.resources, process->pid, thread->tid);
	if (name || thread->tid != process->pid || !*process->executable)
		return name;
	base = strrchr(process->executable, '/');
	snprintf(buffer, 16, "%.15s", base ? base + 1 : process->executable);
	return buffer;
}

static void thread_row(struct row *row, const struct ingest *ingest,
		       const struct store_ids *ids, size_t process_index,
		       const struct segment_thread *thread, int64_t *next_id)
{
	const struct read_process *process = &ingest->run.processes[process_index];
	int64_t lane = find_lane(&ingest->run, process, thread->lane_slot);
	uint64_t end_ticks = thread->end_ticks ? thread->end_ticks
					       : ingest->fates[process_index].end_ticks;
	char buffer[16];

	if (lane < 0)
		return;
	row_int(row, (*next_id)++);
	row_int(row, ids->run);
	row_int(row, ids->process + (int64_t)process_index);
	row_int(row, ids->lane + lane);
	row_int(row, thread->tid);
	row_copy(row, thread_name(ingest, process, thread, buffer));
	row_int(row, ticks_since_start_ns(&ingest->ticks, thread->start_ticks));
	row_int(row,
		end_ticks > thread->start_ticks
			? ticks_duration_ns(&ingest->ticks,
					    (double)(end_ticks - thread->start_ticks))
			: 0);
	row_next(row);
}

static int insert_threads(struct store *store, const struct ingest *ingest,
			  const struct store_ids *ids)
{
	int64_t next_id = ids->thread;
	struct row row;

	row_open(
		&row, store, "thread",
		"thread_id, run_id, process_id, lane_id, tid, name, started_ns, wall_ns");
	for (size_t i = 0; i < ingest->run.process_count; i++) {
		const struct read_process *process = &ingest->run.processes[i];

		for (uint32_t thread = 0; thread < process->thread_count; thread++)
			thread_row(&row, ingest, ids, i, &process->threads[thread],
				   &next_id);
	}
	return row_close(&row);
}

/* Index of the process that a sample is of, or -1. */
static int64_t find_process(const struct read_run *run,
			    const struct resource_sample *sample)
{
	size_t low = 0, high = run->process_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (run->processes[middle].start_ticks < sample->start_ticks)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < run->process_count; low++) {
		if (run->processes[low].start_ticks != sample->start_ticks)
			break;
		if (run->processes[low].pid == sample->pid)
			return (int64_t)low;
	}
	return -1;
}

static void bind_known(struct row *row, int64_t value)
{
	if (value >= 0)
		row_int(row, value);
	else
		row_null(row);
}

static void resource_row(struct row *row, const struct ingest *ingest,
			 const struct store_ids *ids,
			 const struct resource_sample *sample)
{
	int64_t process = find_process(&ingest->run, sample);
	uint64_t start_ns = ingest->ticks.start_monotonic_ns;

	if (process < 0)
		return;
	row_int(row, ids->run);
	row_int(row, ids->process + process);
	row_count(row,
		  sample->monotonic_ns > start_ns ? sample->monotonic_ns - start_ns : 0);
	if (sample->cpu_percent >= 0)
		row_real(row, sample->cpu_percent);
	else
		row_null(row);
	bind_known(row, sample->rss_bytes);
	bind_known(row, sample->minor_faults);
	bind_known(row, sample->major_faults);
	bind_known(row, sample->read_bytes);
	bind_known(row, sample->write_bytes);
	bind_known(row, sample->thread_count);
	bind_known(row, sample->cpu_wait_ns);
	row_next(row);
}

static int insert_resources(struct store *store, const struct ingest *ingest,
			    const struct store_ids *ids)
{
	const struct resources *resources = ingest->watch.resources;
	struct row row;

	if (!resources || !resources->count)
		return SQLITE_OK;
	row_open(&row, store, "resource",
		 "run_id, process_id, time_ns, cpu_percent, rss_bytes, minor_faults, "
		 "major_faults, read_bytes, write_bytes, thread_count, cpu_wait_ns");
	for (size_t i = 0; i < resources->count; i++)
		resource_row(&row, ingest, ids, &resources->samples[i]);
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
		bind_text_or_null(&row, fact->text);
		row_next(&row);
	}
	return row_close(&row);
}

int store_run_rows(struct store *store, const struct ingest *ingest,
		   const struct store_ids *ids)
{
	int (*const parts[])(struct store *, const struct ingest *,
			     const struct store_ids *) = {
		insert_processes, insert_lanes,	  insert_threads,
		insert_resources, store_gpu_rows,
	};
	int code = SQLITE_OK;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && code == SQLITE_OK; i++)
		code = parts[i](store, ingest, ids);
	return code;
}

int store_last_rows(struct store *store, const struct ingest *ingest,
		    const struct store_ids *ids)
{
	int code = insert_trust(store, ingest, ids);

	return code == SQLITE_OK ? insert_run(store, ingest, ids) : code;
}
