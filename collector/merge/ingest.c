/* SPDX-License-Identifier: MIT */
/* The steps from a spool directory to a merged run. Must not change the spool. */
#include "collector/merge/ingest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/merge/trust.h"

static struct merge_end *ends_of(const struct ingest *ingest)
{
	size_t count = ingest->run.process_count;
	struct merge_end *ends = calloc(count + 1, sizeof(*ends));

	for (size_t i = 0; ends && i < count; i++) {
		ends[i].end_ticks = ingest->fates[i].end_ticks;
		ends[i].is_over = !ingest->fates[i].is_alive;
	}
	return ends;
}

static int merge(struct ingest *ingest)
{
	struct merge_end *ends;
	int result;

	result = fate_find(&ingest->run, &ingest->ticks, ingest->watch.deaths,
			   ingest->watch.death_count, ingest->watch.is_live,
			   &ingest->fates);
	if (result < 0)
		return result;
	ends = ends_of(ingest);
	if (!ends)
		return -ENOMEM;
	result = merge_run(&ingest->merge, &ingest->run, &ingest->ticks, ends,
			   ingest->watch.path_limit);
	free(ends);
	return result;
}

static void sum_up(struct ingest *ingest)
{
	const struct segment_run *page = &ingest->run.page;
	uint32_t last;

	ingest->first_process = fate_first_process(&ingest->run);
	last = fate_last_image(ingest->fates, ingest->first_process);
	if (last != FATE_NONE)
		ingest->status = ingest->fates[last].status;
	ingest->is_complete = last != FATE_NONE && !ingest->watch.is_live &&
			      ingest->run.state.lost_process_count == 0 &&
			      ingest->merge.damaged_count == 0;
	ingest->end_ticks = page->start_ticks;
	for (size_t i = 0; i < ingest->run.process_count; i++) {
		if (!ingest->fates[i].is_complete)
			ingest->is_complete = 0;
		if (ingest->fates[i].end_ticks > ingest->end_ticks)
			ingest->end_ticks = ingest->fates[i].end_ticks;
	}
}

int ingest_load(struct ingest *ret, const struct rundir *rundir,
		const struct ingest_watch *watch, char *error, size_t error_size)
{
	int result;

	*ret = (struct ingest){.watch = *watch};
	result = read_run_open(&ret->run, rundir, error, error_size);
	if (result < 0)
		return result;
	ticks_calibrate(&ret->ticks, &ret->run.page, &ret->run.state);
	result = merge(ret);
	if (result == 0)
		result = snapshots_build(&ret->snapshots, &ret->merge);
	if (result < 0) {
		snprintf(error, error_size, "cannot put the run in %s together: %s",
			 rundir->path, strerror(-result));
		ingest_done(ret);
		return result;
	}
	sum_up(ret);
	trust_collect(ret);
	return 0;
}

void ingest_done(struct ingest *ingest)
{
	snapshots_done(&ingest->snapshots);
	if (ingest->merge.run)
		merge_done(&ingest->merge);
	free(ingest->fates);
	read_run_close(&ingest->run);
	*ingest = (struct ingest){.run.directory_fd = -1};
}
