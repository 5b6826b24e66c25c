/* SPDX-License-Identifier: MIT */
/*
 * The collector's own snapshots, one of every process each PROFSHIM_SNAPSHOT_EVERY. Must
 * not fall behind: a snapshot that comes late is not made up for.
 */
#pragma once

#include "collector/live/snapshot.h"
#include "collector/processes/ticks.h"
#include "collector/watch/watch.h"

struct interval_process {
	uint64_t start_ticks; /* of the process that has the entry */
	uint64_t next_ns;     /* monotonic; 0: not seen yet */
	uint32_t number;
	int is_given_up;
	int was_busy; /* another snapshot did not end */
	struct live_snapshot_memory memory;
};

struct intervals {
	struct ticks ticks;
	uint64_t every_ns;		    /* 0: none */
	struct interval_process *processes; /* parallel to watch.processes */
	size_t count;
};

void intervals_init(struct intervals *intervals, const struct segment_run *page);

/* Takes those snapshots that are due. Returns how long nothing more is, at most
 * longest_ns. */
uint64_t intervals_update(struct intervals *intervals, const struct watch *watch,
			  uint64_t longest_ns);
