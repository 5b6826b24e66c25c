/* SPDX-License-Identifier: MIT */
/*
 * Shows the objects of all processes to who applies rules about source files
 * (collector/selection/answers.h) as they turn up, and takes a snapshot of every
 * process each PROFSHIM_SNAPSHOT_EVERY. A snapshot that comes late is not made up
 * for. Runs on: the collector's main thread.
 */
#pragma once

#include "collector/live/draft.h"
#include "collector/processes/ticks.h"
#include "collector/selection/answers.h"
#include "collector/watch/table.h"

/* What has been shown of a process. */
struct objects_process {
	int32_t pid;
	uint64_t start_ticks; /* with pid: which process */
	uint32_t count;
};

struct objects {
	struct answers answers;
	struct objects_process *processes; /* parallel to watch.processes */
	size_t count;
};

void objects_begin(struct objects *ret, const struct watch *watch);

/* Looks for new objects, when there are such rules. */
void objects_update(struct objects *objects, const struct watch *watch);

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
