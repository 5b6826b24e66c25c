/* SPDX-License-Identifier: MIT */
/*
 * Asks the run of a process, found by its PID, for another budget or other rules. Must
 * not stop the process, or need its collector.
 */
#pragma once

#include <stddef.h>

#include "collector/read/rundir.h"
#include "common/segment.h"
#include "common/segment_control.h"

struct attach_request {
	const char *only, *skip; /* NULL: as they are */
	const double *overhead;	 /* per cent, 0: no budget; NULL: as it is */
	int has_first_overhead;	 /* the one that the run began with */
	/* called when it is published, before the wait; NULL: nothing is */
	void (*published)(void *data, const struct rundir *rundir,
			  const struct segment_run *page);
	void *data;
};

/* What a process has made of it. */
struct attach_taken {
	int is_taken; /* it has taken the setting over */
	/* rules that fit a function of the objects that it had called when it did so; but
	 * of those about sources, which may be answered later. A set, see
	 * common/selection.h */
	uint64_t fitted;
};

/* Publishes it for the run, and waits for a second at most until the process has taken it
 * over. ret: what is in force now. 0, or -errno with one sentence in
 * error. */
int attach_set(int pid, const struct attach_request *request, struct segment_setting *ret,
	       struct attach_taken *ret_taken, char *error, size_t error_size);
