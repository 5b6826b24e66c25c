/* SPDX-License-Identifier: MIT */
/*
 * May the run's processes use the kernel's samples, and what does one cost here
 * (common/segment_samples.h)? Runs on: the collector's main thread; under a filter of
 * system calls a child asks, since the filter may kill it. Must not hold up the collector
 * for more than some ms.
 */
#pragma once

#include "collector/read/rundir.h"
#include "common/segment.h"
#include "common/segment_samples.h"

struct sampling {
	uint64_t begin_ns; /* when the run was first looked at */
	int is_done;
	enum segment_sampling found; /* when it is done */
	uint32_t tick_ns;	     /* what a sample costs; 0: not known */
	int event; /* ours, kept open: then the program's begin at once */
};

/* Finds out when the run is some ms old, and publishes the answer. */
void sampling_update(struct sampling *sampling, const struct rundir *rundir,
		     const struct segment_run *run);

/* Tells waiting processes that all present programs without hooks have their events, or
 * will get none. */
void sampling_tell_begun(const struct rundir *rundir, const struct segment_run *run);

/* Time in ns until there is something to do, at most most_ns. */
uint64_t sampling_wait_ns(const struct sampling *sampling, uint64_t most_ns);
