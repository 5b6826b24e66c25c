/* SPDX-License-Identifier: MIT */
/*
 * What the critical path was made of: its stretches, divided among the call paths of the
 * lanes that they lie on.
 *
 * When a lane was on which path is not recorded, only how long in all. So a stretch is
 * divided as the lane's own work is, but for one during which the thread had a lock that
 * somebody waited for: there it is divided as the holders were seen when such waits
 * began. What cannot be otherwise is the error: a path was on the critical path no longer
 * than it took, nor than its lane was, and for at least what the lane's other paths
 * cannot fill.
 */
#pragma once

#include "analyzer/model/critical/walk.h"

/* What a lane did on a path itself, without waits for other threads. Paths are numbers of
 * the caller's; WALK_NONE: outside of all functions. */
struct shares_work {
	uint32_t lane, path;
	double self_ns;
};

/* Of a stall by its number: the paths of the wait, and of whoever had the lock then. */
struct shares_stall {
	uint32_t path, holder_path;
};

struct shares_input {
	const struct walk_run *run;
	const struct walk *walk;
	struct shares_work *work; /* sorted by lane; one for each pair */
	size_t work_count;
	const struct shares_stall *stalls;
	const double *lane_ns; /* of its threads, without waits for others */
	uint32_t lane_count;
};

/* A path on a lane. */
struct share {
	uint32_t lane, path;
	double own_ns;		  /* worked; an estimate */
	double waited_ns;	  /* stood still, and nobody knows for whom */
	double slept_ns;	  /* slept for a time, or in a call: when is known */
	double woken_ns;	  /* could have gone on: was being woken */
	double least_ns, most_ns; /* of all four, if the chain of threads is right */
};

struct shares {
	struct share *all; /* owned: shares_done() */
	size_t count;
	double run_ns;	    /* the whole */
	double *lane_ns;    /* by lane: of the critical path; owned */
	double begun_ns;    /* threads on their way to their first call */
	double before_ns;   /* on no thread that is known */
	double scale;	    /* from the stretches to the run: 1 without windows */
	double error_share; /* of windows: of what the run has on a lane, at most */
};

void shares_find(const struct shares_input *input, struct shares *ret);
void shares_done(struct shares *shares);
