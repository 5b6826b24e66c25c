/* SPDX-License-Identifier: MIT */
/* The rows of a run's processes: process, lane, thread, resource. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/merge/waits.h"
#include "collector/store/bind.h"
#include "collector/store/ids.h"
#include "collector/store/text.h"

/* A forked child is of its parent's rank. */
static const struct segment_job *job_of(const struct ingest *ingest, size_t index)
{
	static const struct segment_job none;
	const struct segment_job *job;

	while (!ingest->run.processes[index].job &&
	       ingest->run.processes[index].forked_from_slot &&
	       ingest->endings[index].parent < index)
		index = ingest->endings[index].parent;
	job = ingest->run.processes[index].job;
	return job ? job : &none;
}

/* The build-id of a process's program, from the module with its path. */
static void build_id_text(const struct read_process *process, char text[73])
{
	text[0] = 0;
	for (uint32_t i = 0; i < process->module_count; i++) {
		const struct segment_module *module = process->modules[i].file;

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
	const struct read_memory *memory = &ingest->merge.memory[index];
	const struct ending *ending = &ingest->endings[index];
	char *command = store_command(process);
	char build_id[73];

	build_id_text(process, build_id);
	row_int(row, ids->process + (int64_t)index);
	row_int(row, ids->run);
	if (ending->parent != ENDING_NONE)
		row_int(row, ids->process + ending->parent);
	else
		row_null(row);
	row_int(row, process->pid);
	row_filled_text(row, process->executable);
	row_filled_text(row, build_id);
	row_filled_text(row, command);
	row_int(row, ticks_since_start_ns(&ingest->ticks, process->start_ticks));
	row_int(row, ticks_duration_ns(&ingest->ticks, (double)(ending->end_ticks -
								process->start_ticks)));
	store_bind_status(row, &ending->status);
	row_int(row, ending->is_complete);
	row_count(row, memory->alloc_count);
	row_count(row, memory->alloc_bytes);
	row_count(row, memory->free_count);
	row_count(row, process->peak_bytes);
	row_count(row, memory->live_bytes);
	store_bind_job(row, job_of(ingest, index));
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
	for (uint32_t i = 0; i < ingest->run.lane_count; i++) {
		if (store_lane_id(ids, ingest, i) != ids->lane + i)
			continue;
		row_int(&row, ids->lane + i);
		row_int(&row, ids->run);
		row_int(&row, ids->process + ingest->run.lanes[i].process);
		row_next(&row);
	}
	return row_close(&row);
}

/* Lanes are in the order of files and slots. */
int64_t store_find_lane(const struct read_run *run, const struct read_process *process,
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
	const struct resource_thread *seen = NULL;
	const char *base;

	if (*thread->name)
		return thread->name;
	if (ingest->watch.resources)
		seen = resources_thread(ingest->watch.resources, process->pid,
					thread->tid);
	if (seen || thread->tid != process->pid || !*process->executable)
		return seen ? seen->name : NULL;
	base = strrchr(process->executable, '/');
	snprintf(buffer, 16, "%.15s", base ? base + 1 : process->executable);
	return buffer;
}

static void thread_row(struct row *row, const struct ingest *ingest,
		       const struct store_ids *ids, size_t process_index,
		       const struct segment_thread *thread, int64_t *next_id)
{
	const struct read_process *process = &ingest->run.processes[process_index];
	int64_t lane = store_find_lane(&ingest->run, process, thread->lane_slot);
	uint64_t end_ticks = thread->end_ticks ? thread->end_ticks
					       : ingest->endings[process_index].end_ticks;
	struct thread_split split;
	int64_t wall_ns = 0;
	char buffer[16];

	if (lane < 0)
		return;
	if (end_ticks > thread->start_ticks)
		wall_ns = ticks_duration_ns(&ingest->ticks,
					    (double)(end_ticks - thread->start_ticks));
	split = waits_of_thread(thread, wall_ns);
	row_int(row, (*next_id)++);
	row_int(row, ids->run);
	row_int(row, ids->process + (int64_t)process_index);
	row_int(row, store_lane_id(ids, ingest, (uint32_t)lane));
	row_int(row, thread->tid);
	row_copy(row, thread_name(ingest, process, thread, buffer));
	row_int(row, ticks_since_start_ns(&ingest->ticks, thread->start_ticks));
	row_int(row, wall_ns);
	row_known(row, split.cpu_ns);
	row_known(row, split.ready_ns);
	row_known(row, split.blocked_ns);
	row_int(row, thread->has_ended_process != 0);
	row_next(row);
}

static int insert_threads(struct store *store, const struct ingest *ingest,
			  const struct store_ids *ids)
{
	int64_t next_id = ids->thread;
	struct row row;

	row_open(
		&row, store, "thread",
		"thread_id, run_id, process_id, lane_id, tid, name, started_ns, wall_ns, "
		"cpu_ns, ready_ns, blocked_ns, has_ended_process");
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
	row_known(row, sample->rss_bytes);
	row_known(row, sample->minor_faults);
	row_known(row, sample->major_faults);
	row_known(row, sample->read_bytes);
	row_known(row, sample->write_bytes);
	row_known(row, sample->thread_count);
	row_known(row, sample->cpu_wait_ns);
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

int store_process_rows(struct store *store, const struct ingest *ingest,
		       const struct store_ids *ids)
{
	int (*const parts[])(struct store *, const struct ingest *,
			     const struct store_ids *) = {
		insert_processes,
		insert_lanes,
		insert_threads,
		insert_resources,
	};
	int code = SQLITE_OK;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && code == SQLITE_OK; i++)
		code = parts[i](store, ingest, ids);
	return code;
}
