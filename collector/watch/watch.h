/* SPDX-License-Identifier: MIT */
/*
 * Finding the run's processes in segment files, watching them by pidfd, looking at them
 * in /proc. Runs on: the collector's main thread. Must not signal, stop or wait for the
 * processes.
 */
#pragma once

#include "collector/watch/table.h"

/* Looks for processes that are not known yet, when all known ones are dead. Returns how
 * many were found; they are watched from now on. */
size_t newborn_find(struct watch *watch);

/* Starts watching. 0 or -errno. There is no end: the process ends with it. */
int watch_init(struct watch *watch, struct rundir *rundir, const struct segment_run *run,
	       struct segment_state *shared);

/* Looks for new processes, exits and deaths, and samples those that are alive. */
void watch_update(struct watch *watch);
