/* SPDX-License-Identifier: MIT */
/*
 * May the run's processes have samples of the kernel's, and what does one cost here
 * (common/segment_samples.h)? Runs on: the collector's main thread; where a filter of
 * system calls is in force a child asks, since it may kill who does. Must not hold up the
 * collector for more than some ms.
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
	int event; /* kept, of ours: with one on the machine the program's begin at once
		    */
};

/* Finds it out when the run is some ms old, and tells it. */
void sampling_update(struct sampling *sampling, const struct rundir *rundir,
		     const struct segment_run *run);

/* Tells who waits that the programs without hooks that there are have their events, or
 * get none. */
void sampling_tell_begun(const struct rundir *rundir, const struct segment_run *run);

/* How long until there is something to do, ns: at most this. */
uint64_t sampling_wait_ns(const struct sampling *sampling, uint64_t most_ns);
