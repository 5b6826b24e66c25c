/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc/PID/stat, io and task, and keeps the number of samples small. Must not
 * report failures: a process may be gone at any moment.
 */
#include "collector/processes/resources.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/xalloc.h"
#include "collector/processes/liveness.h"
#include "collector/processes/ticks.h"

#define THREAD_LIMIT 65536u

/* A share of a shorter time says nothing. */
#define SHORTEST_SPAN_NS 2000000ull

void resources_init(struct resources *resources)
{
	*resources = (struct resources){.interval_ns = RESOURCES_INTERVAL_NS};
}

void resources_done(struct resources *resources)
{
	free(resources->samples);
	free(resources->threads);
	*resources = (struct resources){.count = 0};
}

/* Returns 0 when the process is gone. */
static int read_cpu(const struct resource_process *process, uint64_t *ret_ns)
{
	struct timespec used;

	if (!process->has_clock || clock_gettime(process->cpu_clock, &used) < 0)
		return 0;
	*ret_ns = (uint64_t)used.tv_sec * 1000000000ull + (uint64_t)used.tv_nsec;
	return 1;
}

void resources_process_init(struct resource_process *process, int32_t pid,
			    uint64_t start_ticks)
{
	*process = (struct resource_process){.pid = pid, .start_ticks = start_ticks};
	process->monotonic_ns = ticks_monotonic_ns();
	process->has_clock = clock_getcpuclockid(pid, &process->cpu_clock) == 0;
	process->has_clock = read_cpu(process, &process->cpu_ns);
}

int resources_round_begin(struct resources *resources, uint64_t monotonic_ns)
{
	if (monotonic_ns < resources->next_ns)
		return 0;
	resources->round++;
	resources->next_ns = monotonic_ns + resources->interval_ns;
	resources->begin_ns = monotonic_ns;
	resources->begin_cpu_ns = ticks_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return 1;
}

/* The pause depends on the round's CPU time. On a busy machine a round may take 20 ms of
 * wall time, and looks a second apart would tell nothing. */
void resources_round_end(struct resources *resources)
{
	uint64_t pause_ns =
		(ticks_clock_ns(CLOCK_THREAD_CPUTIME_ID) - resources->begin_cpu_ns) * 50;

	if (resources->begin_ns + pause_ns > resources->next_ns)
		resources->next_ns = resources->begin_ns + pause_ns;
}

/* Reads fields 10, 12, 20 and 24 of stat. Returns 0 when the process is gone. */
static int sample_stat(struct resource_sample *sample, uint64_t own_major_faults)
{
	char text[2048], *field;
	long long minor, major, threads, rss_pages;

	if (!liveness_read(sample->pid, "stat", text, sizeof(text)))
		return 0;
	field = strrchr(text, ')');
	if (!field || sscanf(field + 1,
			     " %*c %*d %*d %*d %*d %*d %*u %lld %*d %lld %*d %*d %*d %*d "
			     "%*d %*d %*d %lld %*d %*u %*u %lld",
			     &minor, &major, &threads, &rss_pages) != 4)
		return 0;
	sample->minor_faults = minor;
	major -= (long long)own_major_faults;
	sample->major_faults = major > 0 ? major : 0;
	sample->thread_count = threads;
	/* a process that has ended has no memory left; what it had is unknown */
	sample->rss_bytes = rss_pages > 0 ? rss_pages * sysconf(_SC_PAGESIZE) : -1;
	return 1;
}

static void sample_io(struct resource_sample *sample)
{
	char text[1024];
	long long read_bytes, write_bytes;

	sample->read_bytes = sample->write_bytes = -1;
	if (!liveness_read(sample->pid, "io", text, sizeof(text)) ||
	    sscanf(text, "rchar: %lld wchar: %lld", &read_bytes, &write_bytes) != 2)
		return;
	sample->read_bytes = read_bytes;
	sample->write_bytes = write_bytes;
}

static void sample_cpu(struct resource_sample *sample, struct resource_process *process)
{
	uint64_t passed_ns = sample->monotonic_ns - process->monotonic_ns, cpu_ns;

	sample->cpu_percent = -1;
	if (passed_ns < SHORTEST_SPAN_NS || !read_cpu(process, &cpu_ns))
		return;
	sample->cpu_percent =
		100.0 * (double)(cpu_ns - process->cpu_ns) / (double)passed_ns;
	process->cpu_ns = cpu_ns;
	process->monotonic_ns = sample->monotonic_ns;
}

/* Reads a thread's CPU time, time waiting for a CPU, and how often it got one. */
static bool read_schedstat(int32_t pid, int32_t tid, struct resource_threads *ret)
{
	long long cpu_ns, wait_ns, run_count;
	char name[64], text[128];

	snprintf(name, sizeof(name), "task/%d/schedstat", (int)tid);
	if (!liveness_read(pid, name, text, sizeof(text)) ||
	    sscanf(text, "%lld %lld %lld", &cpu_ns, &wait_ns, &run_count) != 3)
		return false;
	*ret = (struct resource_threads){cpu_ns, wait_ns, run_count};
	return true;
}

bool resources_read_threads(int32_t pid, struct resource_threads *ret)
{
	struct resource_threads one;
	bool is_told = false;
	DIR *tasks = liveness_tasks(pid);
	int32_t tid;

	*ret = (struct resource_threads){.cpu_ns = 0};
	while ((tid = liveness_next_task(tasks))) {
		if (!read_schedstat(pid, tid, &one))
			continue;
		ret->cpu_ns += one.cpu_ns;
		ret->wait_ns += one.wait_ns;
		ret->run_count += one.run_count;
		is_told = true;
	}
	return is_told;
}

/* A thread's time vanishes when it ends, so a look at which the sum has fallen adds
 * nothing, and the result is a lower bound. */
static void sample_wait(struct resource_sample *sample, struct resource_process *process)
{
	struct resource_threads threads;

	sample->cpu_wait_ns = -1;
	if (!resources_read_threads(sample->pid, &threads))
		return;
	if (threads.wait_ns > process->threads.wait_ns)
		process->wait_ns += threads.wait_ns - process->threads.wait_ns;
	process->threads = threads;
	sample->cpu_wait_ns = process->wait_ns;
}

static void merge(void *earlier, const void *later)
{
	struct resource_sample *a = earlier;
	struct resource_sample merged = *(const struct resource_sample *)later;

	if (a->cpu_percent >= 0 && merged.cpu_percent >= 0)
		merged.cpu_percent = (a->cpu_percent + merged.cpu_percent) / 2;
	if (a->rss_bytes > merged.rss_bytes)
		merged.rss_bytes = a->rss_bytes;
	if (a->thread_count > merged.thread_count)
		merged.thread_count = a->thread_count;
	*a = merged;
}

static bool is_same(const void *left, const void *right)
{
	const struct resource_sample *a = left, *b = right;

	return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

size_t resources_halve(void *samples, size_t count, size_t size, size_t round_offset,
		       bool (*are_same)(const void *a, const void *b),
		       void (*join)(void *earlier, const void *later))
{
	char *all = samples;
	size_t kept = 0, first = 0; /* first kept sample of the round being made */
	uint32_t last_round = 0;

	for (size_t i = 0; i < count; i++) {
		char *sample = all + i * size;
		uint32_t *round = (void *)(sample + round_offset);
		size_t at;

		*round /= 2;
		if (kept == 0 || last_round != *round)
			first = kept;
		last_round = *round;
		for (at = first; at < kept && !are_same(all + at * size, sample); at++)
			;
		if (at < kept)
			join(all + at * size, sample);
		else
			memmove(all + kept++ * size, sample, size);
	}
	return kept;
}

static void halve(struct resources *resources)
{
	resources->count = resources_halve(
		resources->samples, resources->count, sizeof(*resources->samples),
		offsetof(struct resource_sample, round), is_same, merge);
	resources->round /= 2;
	resources->interval_ns *= 2;
}

/* Allocates RESOURCES_LIMIT at once: untouched pages cost nothing. */
static struct resource_sample *room(struct resources *resources)
{
	if (!resources->samples)
		resources->samples =
			malloc(RESOURCES_LIMIT * sizeof(*resources->samples));
	if (!resources->samples) /* address space is limited: continue without samples */
		return NULL;
	if (resources->count == RESOURCES_LIMIT)
		halve(resources);
	if (resources->count == RESOURCES_LIMIT) /* one sample per process */
		return NULL;
	return &resources->samples[resources->count];
}

void resources_sample(struct resources *resources, struct resource_process *process)
{
	struct resource_sample sample = {.pid = process->pid,
					 .start_ticks = process->start_ticks,
					 .monotonic_ns = ticks_monotonic_ns()};
	struct resource_sample *slot;

	if (!sample_stat(&sample, process->own_major_faults))
		return;
	sample_cpu(&sample, process);
	sample_io(&sample);
	sample_wait(&sample, process);
	slot = room(resources);
	if (!slot)
		return;
	sample.round = resources->round;
	*slot = sample;
	resources->count++;
}

struct resource_thread *resources_thread(const struct resources *resources, int32_t pid,
					 int32_t tid)
{
	for (size_t i = 0; i < resources->thread_count; i++) {
		if (resources->threads[i].tid == tid && resources->threads[i].pid == pid)
			return &resources->threads[i];
	}
	return NULL;
}

static void note_thread(struct resources *resources, int32_t pid, int32_t tid)
{
	char file[64], text[64];
	struct resource_thread *thread = resources_thread(resources, pid, tid);
	struct resource_threads split = {-1, -1, -1};

	snprintf(file, sizeof(file), "task/%d/comm", (int)tid);
	if (!liveness_read(pid, file, text, sizeof(text)))
		return;
	text[strcspn(text, "\n")] = 0;
	if (!thread) {
		if (resources->thread_count >= THREAD_LIMIT)
			return;
		thread = &ARRAY_ADD(resources->threads, resources->thread_count);
		thread->pid = pid;
		thread->tid = tid;
	}
	snprintf(thread->name, sizeof(thread->name), "%.15s", text);
	(void)read_schedstat(pid, tid, &split);
	thread->cpu_ns = split.cpu_ns;
	thread->ready_ns = split.wait_ns;
}

void resources_note_threads(struct resources *resources, int32_t pid)
{
	DIR *tasks = liveness_tasks(pid);
	int32_t tid;

	while ((tid = liveness_next_task(tasks)))
		note_thread(resources, pid, tid);
}
