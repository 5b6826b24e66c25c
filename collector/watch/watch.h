/* SPDX-License-Identifier: MIT */
/*
 * Finding the run's processes in segment files, watching them by pidfd, looking at them
 * in /proc. Runs on: the collector's main thread. Must not signal, stop or wait for the
 * processes.
 */
#pragma once

#include "collector/watch/table.h"

/* The descriptor, if open, at which the shim leaves us a pidfd of the first process: one
 * that dies at once is gone before we could open it ourselves. */
#define WATCH_INHERITED_FD 3

/* Starts watching. 0 or -errno. There is no end: the process ends with it. */
int watch_init(struct watch *watch, struct rundir *rundir, const struct segment_run *run,
	       struct segment_state *shared);

/* Looks for new processes, exits and deaths, and samples those that are alive. */
void watch_update(struct watch *watch);
