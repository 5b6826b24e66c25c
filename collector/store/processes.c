/* SPDX-License-Identifier: MIT */
/* The rows of a run's processes: process, lane, thread, resource, gpu_sample. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/merge/place.h"
#include "collector/processes/samples.h"
#include "collector/store/row.h"
#include "common/base/xalloc.h"

static int is_plain(const char *argument)
{
	for (const char *at = argument; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("_-./=:,+@%", *at))
			return 0;
	}
	return *argument != 0;
}

char *store_command(const struct read_process *process)
{
	const char *end = process->command + process->command_size, *at;
	/* per byte up to four characters for a quote, plus quotes and a space around */
	char *text = xmalloc((size_t)process->command_size * 4 + 8), *out = text;

	for (at = process->command; at < end; at += strlen(at) + 1) {
		if (out != text)
			*out++ = ' ';
		if (is_plain(at)) {
			out = stpcpy(out, at);
			continue;
		}
		*out++ = '\'';
		for (const char *c = at; *c; c++) {
			if (*c == '\'')
				out = stpcpy(out, "'\\''");
			else
				*out++ = *c;
		}
		*out++ = '\'';
	}
	*out = 0;
	return text;
}

/* The job of a process. A forked child has its parent's rank. */
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

const char *store_build_id(const struct segment_module *module, char *text)
{
	*text = 0;
	for (uint32_t byte = 0; byte < module->build_id_size; byte++)
		snprintf(text + 2 * byte, 3, "%02x", module->build_id[byte]);
	return text;
}

/* The module with the path of the process's program. */
static const struct segment_module *program_of(const struct read_process *process)
{
	static const struct segment_module none;

	for (uint32_t i = 0; i < process->module_count; i++)
		if (strcmp(process->modules[i].file->path, process->executable) == 0)
			return process->modules[i].file;
	return &none;
}

static void add_process(struct row *row, const void *element)
{
	const struct ingest *ingest = row->ingest;
	const struct read_process *process = element;
	const struct read_memory *memory = &ingest->merge.memory[row->index];
	const struct ending *ending = &ingest->endings[row->index];
	const struct segment_job *job = job_of(ingest, row->index);
	uint64_t length = ending->end_ticks - process->start_ticks;
	auto_free char *command = store_command(process);
	char build_id[2 * sizeof(program_of(process)->build_id) + 1];

	row_add(row, row_process(row, (uint32_t)row->index), row->ids->run,
		value_if(ending->parent != ENDING_NONE, row_process(row, ending->parent)),
		process->pid, value_filled(process->executable),
		value_filled(store_build_id(program_of(process), build_id)),
		value_filled(command), row_time_ns(row, process->start_ticks),
		row_ns(row, (double)length), value_exit_code(&ending->status),
		value_exit_signal(&ending->status), ending->is_complete,
		memory->alloc_count, memory->alloc_bytes, memory->free_count,
		process->peak_bytes, memory->live_bytes, value_filled(job->name),
		value_rank(job));
}

static void add_lane(struct row *row, const void *element)
{
	const struct read_lane *lane = element;
	int64_t id = row->ids->lane + (int64_t)row->index;

	if (row_lane(row, (uint32_t)row->index) == id)
		row_add(row, id, row->ids->run, row_process(row, lane->process));
}

/* The name of a thread. One that has not ended has not left its name; the collector may
 * have seen it, and the main thread has the program's. */
static const char *thread_name(const struct ingest *ingest,
			       const struct read_process *process,
			       const struct segment_thread *thread, char buffer[16])
{
	const struct resource_thread *seen = NULL;

	if (*thread->name)
		return thread->name;
	if (ingest->watch.resources)
		seen = resources_thread(ingest->watch.resources, process->pid,
					thread->tid);
	if (seen || thread->tid != process->pid || !*process->executable)
		return seen ? seen->name : NULL;
	snprintf(buffer, 16, "%.15s", basename(process->executable));
	return buffer;
}

void store_number_threads(struct store *store)
{
	const struct read_run *run = &store->ingest->run;
	int64_t next = store->ids.thread;
	size_t count = 0;

	store->first_threads =
		pool_array(&store->pool, run->process_count + 1, sizeof(size_t));
	for (size_t i = 0; i < run->process_count; i++) {
		store->first_threads[i] = count;
		count += run->processes[i].thread_count;
	}
	store->threads = pool_array(&store->pool, count + 1, sizeof(*store->threads));
	for (size_t i = 0; i < run->process_count; i++) {
		const struct read_process *process = &run->processes[i];
		int64_t *to = &store->threads[store->first_threads[i]];

		for (uint32_t at = 0; at < process->thread_count; at++) {
			uint32_t slot = process->threads[at].lane_slot;

			to[at] = read_find_lane(run, process->file, slot) < 0 ? -1
									      : next++;
		}
	}
}

static void add_thread(struct row *row, const struct read_process *process,
		       uint32_t number)
{
	const struct ingest *ingest = row->ingest;
	const struct segment_thread *thread = &process->threads[number];
	int64_t id = row->store->threads[row->store->first_threads[row->index] + number];
	int64_t lane = read_find_lane(&ingest->run, process->file, thread->lane_slot);
	uint64_t end_ticks = thread->end_ticks ? thread->end_ticks
					       : ingest->endings[row->index].end_ticks;
	struct thread_split split;
	int64_t wall_ns = 0;
	char buffer[16];

	if (id < 0)
		return;
	if (end_ticks > thread->start_ticks)
		wall_ns = row_ns(row, (double)(end_ticks - thread->start_ticks));
	split = waits_of_thread(thread, wall_ns);
	row_add(row, id, row->ids->run, row_process(row, (uint32_t)row->index),
		row_lane(row, (uint32_t)lane), thread->tid,
		value_filled(thread_name(ingest, process, thread, buffer)),
		row_time_ns(row, thread->start_ticks), wall_ns, value_known(split.cpu_ns),
		value_known(split.ready_ns), value_known(split.blocked_ns),
		thread->has_ended_process != 0);
}

static void add_threads(struct row *row, const void *element)
{
	const struct read_process *process = element;

	for (uint32_t i = 0; i < process->thread_count; i++)
		add_thread(row, process, i);
}

/* Index of the process that a sample is of, or -1. */
static int64_t find_process(const struct read_run *run,
			    const struct resource_sample *sample)
{
	size_t low = COUNT_BEFORE(run->process_count, i,
				  run->processes[i].start_ticks < sample->start_ticks);

	for (; low < run->process_count; low++) {
		if (run->processes[low].start_ticks != sample->start_ticks)
			break;
		if (run->processes[low].pid == sample->pid)
			return (int64_t)low;
	}
	return -1;
}

/* The time of a sample in ns since the run began. */
static int64_t sample_time_ns(const struct row *row, uint64_t monotonic_ns)
{
	uint64_t start_ns = row->ingest->ticks.start_monotonic_ns;

	return monotonic_ns > start_ns ? (int64_t)(monotonic_ns - start_ns) : 0;
}

static struct value known_percent(double percent)
{
	return percent >= 0 ? value_real(percent) : VALUE_NONE;
}

static void add_resources(struct row *row, const void *element)
{
	const struct resources *resources = row->ingest->watch.resources;

	(void)element;
	for (size_t i = 0; resources && i < resources->count; i++) {
		const struct resource_sample *sample = &resources->samples[i];
		int64_t process = find_process(&row->ingest->run, sample);

		if (process >= 0)
			row_add(row, row->ids->run, row->ids->process + process,
				sample_time_ns(row, sample->monotonic_ns),
				known_percent(sample->cpu_percent),
				value_known(sample->rss_bytes),
				value_known(sample->minor_faults),
				value_known(sample->major_faults),
				value_known(sample->read_bytes),
				value_known(sample->write_bytes),
				value_known(sample->thread_count),
				value_known(sample->cpu_wait_ns));
	}
}

/* The clocks of process ends and samples differ by less than this. */
#define SLACK_NS 10000000

/* Finds the process that used the GPU. The driver only gives pids, so a sample belongs to
 * the image that had the pid at that time. A pid that was reused by a stranger finds
 * nobody. */
static int64_t find_user(const struct ingest *ingest, int32_t pid, int64_t time_ns)
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

static void add_gpu_samples(struct row *row, const void *element)
{
	const struct gpu_samples *samples = row->ingest->watch.gpu;

	(void)element;
	for (size_t i = 0; samples && i < samples->count; i++) {
		const struct gpu_sample *sample = &samples->samples[i];
		int64_t time_ns = sample_time_ns(row, sample->monotonic_ns);
		int64_t process = find_user(row->ingest, sample->pid, time_ns);

		if (process >= 0)
			row_add(row, row->ids->run, row->ids->process + process, time_ns,
				sample->device, value_known(sample->memory_bytes),
				known_percent(sample->utilisation_percent));
	}
}

const struct row_table store_process_tables[] = {
	{"process", add_process, ROW_LIST(run.processes, run.process_count)},
	{"lane", add_lane, ROW_LIST(run.lanes, run.lane_count)},
	{"thread", add_threads, ROW_LIST(run.processes, run.process_count)},
	{"resource", add_resources},
	{"gpu_sample", add_gpu_samples},
	{NULL},
};
