/* SPDX-License-Identifier: MIT */
/* The steps from a spool directory to a merged run. Must not change the spool. */
#include "collector/ingest/ingest.h"

#include <stdlib.h>

#include "common/base/xalloc.h"
#include "common/libc/calls.h"
#include "collector/account/account.h"

/* Raises *ns to what was seen. seen_ns counts from the thread's start, which may be
 * before it began here. */
static void raise_to(uint64_t *ns, uint64_t seen_ns, uint64_t begin_ns, uint64_t most_ns)
{
	uint64_t since_ns = seen_ns > begin_ns ? seen_ns - begin_ns : 0;

	if (since_ns > most_ns)
		since_ns = most_ns;
	if (since_ns > *ns)
		*ns = since_ns;
}

/* The most CPU time that a thread can have. A thread that has announced its process's end
 * still computes and may be looked at then, so time booked as without a CPU is
 * excluded. */
static uint64_t most_cpu_ns(const struct ingest *ingest,
			    const struct segment_thread *thread, uint64_t end_ticks)
{
	uint64_t life_ns;

	if (end_ticks <= thread->start_ticks)
		return 0;
	life_ns = (uint64_t)ticks_duration_ns(&ingest->ticks,
					      (double)(end_ticks - thread->start_ticks));
	return life_ns > thread->off_ns ? life_ns - thread->off_ns : 0;
}

/* Completes threads that were alive at the last look and have not noted their own end.
 * Not for an image that exec has replaced: the next image's thread has the same number
 * and continues its clock. */
static void complete_threads(struct ingest *ingest, const struct read_process *process,
			     uint64_t end_ticks)
{
	for (uint32_t i = 0; i < process->thread_count; i++) {
		struct segment_thread *thread = &process->threads[i];
		const struct resource_thread *seen;

		if (thread->end_ticks)
			continue;
		seen = resources_thread(ingest->watch.resources, process->pid,
					thread->tid);
		if (!seen || seen->cpu_ns < 0)
			continue;
		raise_to(&thread->cpu_ns, (uint64_t)seen->cpu_ns, thread->begin_cpu_ns,
			 most_cpu_ns(ingest, thread, end_ticks));
		if (!thread->ready_ns) /* nor has its successor noted its end */
			raise_to(&thread->ready_ns, (uint64_t)seen->ready_ns,
				 thread->begin_ready_ns, UINT64_MAX);
	}
}

static void merge(struct ingest *ingest)
{
	struct ending *endings =
		ending_find(&ingest->run, &ingest->ticks, ingest->watch.deaths,
			    ingest->watch.death_count, ingest->watch.is_live);

	ingest->endings = endings;
	for (size_t i = 0; ingest->watch.resources && i < ingest->run.process_count; i++)
		if (waits_are_seen(&ingest->run.processes[i]) &&
		    endings[i].next_image == ENDING_NONE)
			complete_threads(ingest, &ingest->run.processes[i],
					 endings[i].end_ticks);
	run_merge(&ingest->merge, &ingest->run, &ingest->ticks, endings,
		  ingest->watch.outside, ingest->watch.path_limit,
		  ingest->watch.share_limit);
}

static void sum_up(struct ingest *ingest)
{
	const struct segment_run *page = &ingest->run.page;
	uint32_t last;

	ingest->first_process = ending_first_process(&ingest->run);
	last = ending_last_image(ingest->endings, ingest->first_process);
	if (last != ENDING_NONE)
		ingest->status = ingest->endings[last].status;
	ingest->is_complete = last != ENDING_NONE && !ingest->watch.is_live &&
			      ingest->run.state.lost_process_count == 0 &&
			      ingest->merge.damaged_count == 0;
	ingest->end_ticks = page->start_ticks;
	for (size_t i = 0; i < ingest->run.process_count; i++) {
		if (!ingest->endings[i].is_complete)
			ingest->is_complete = 0;
		if (ingest->endings[i].end_ticks > ingest->end_ticks)
			ingest->end_ticks = ingest->endings[i].end_ticks;
	}
}

int ingest_load(struct ingest *ret, const struct rundir *rundir,
		const struct ingest_watch *watch, char *error, size_t error_size)
{
	int result;

	*ret = (struct ingest){.watch = *watch};
	result = read_run_open(&ret->run, rundir, watch->kept, error, error_size);
	if (result < 0)
		return result;
	if (!watch->is_live)
		ret->run.damaged_count += ret->run.begun_count;
	ticks_calibrate(&ret->ticks, &ret->run.page, &ret->run.state);
	merge(ret);
	snapshots_build(&ret->snapshots, &ret->merge);
	sum_up(ret);
	trust_collect(ret);
	return 0;
}

void ingest_done(struct ingest *ingest)
{
	if (ingest->merge.run)
		merge_done(&ingest->merge);
	free(ingest->endings);
	free(ingest->facts);
	read_run_close(&ingest->run);
	*ingest = (struct ingest){.run.directory_fd = -1};
}
