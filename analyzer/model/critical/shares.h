/* SPDX-License-Identifier: MIT */
/*
 * Divides the critical path's stretches among the call paths of the lanes they lie on. |
 * Recordings tell how long a lane was on a path, but not when. So a stretch is divided
 * in proportion to the lane's own work. Only if the thread held a lock that others
 * waited for, it is divided by where the waiters saw holders when their waits began. The
 * error is what remains possible: a path was on the critical path no longer than it took
 * or its lane was, and no shorter than what the lane's other paths cannot fill.
 */
#pragma once

#include "analyzer/model/critical/walk.h"

/* What a lane did on a path itself, without waits for other threads. The caller numbers
 * the paths; WALK_NONE: outside all functions. */
struct shares_work {
	uint32_t lane, path;
	double self_ns;
};

/* By number of the stall: the path that waited, and the holder's path at that time. */
struct shares_stall {
	uint32_t path, holder_path;
};

struct shares_input {
	const struct walk_run *run;
	const struct walk *walk;
	struct shares_work *work; /* sorted by lane; each pair once */
	size_t work_count;
	const struct shares_stall *stalls;
	const double *lane_ns; /* by lane: the threads' time without waits for others */
	uint32_t lane_count;
};

/* A path on a lane. */
struct share {
	uint32_t lane, path;
	double own_ns;	  /* worked; an estimate */
	double waited_ns; /* stood still for an unknown thread */
	double slept_ns;  /* slept or was in a known call, at known times */
	double woken_ns;  /* ready to run, while being woken */
	double least_ns,
		most_ns; /* bounds of the sum of all four if the chain is right */
};

struct shares {
	struct share *all;
	size_t count;
	double run_ns;	    /* the length of the run */
	double *lane_ns;    /* by lane: time on the critical path; owned */
	double begun_ns;    /* of threads on their way to their first call */
	double before_ns;   /* on no known thread */
	double scale;	    /* factor from the stretches to the run; 1 without windows */
	double error_share; /* with windows: largest error of a lane's share of the run */
};

void shares_find(const struct shares_input *input, struct shares *ret);
