/* SPDX-License-Identifier: MIT */
/*
 * Finds the critical path: a chain of stretches, each on one thread, from the run's end
 * back to its start. The chain stays on a thread while that works. Where the thread
 * waited for another one, the chain goes on, at the end of the wait, on the thread that
 * ended it; where a thread began, on the one that made it. So the stretches follow each
 * other without gaps and add up to the run. Removing one shortens the run by at most its
 * length.
 *
 * If waits were only recorded in windows of time, each window is walked by itself, and
 * the stretches are samples.
 */
#pragma once

#include "analyzer/model/critical/order.h"

enum walk_work {
	WALK_OWN,    /* did what the lane's paths say */
	WALK_HELD,   /* worked with the lock that somebody waited for (stall) */
	WALK_WAITED, /* waited in that stall for an unknown thread, or slept */
	WALK_WOKEN,  /* was being woken at the end of that stall */
	WALK_BEGUN,  /* was made, and is on its way to its first call */
	WALK_BEFORE, /* before the first thread, or no thread is known */
};

/* A stretch of the chain; the latest comes first. */
struct walk_stretch {
	double begin_ns, end_ns;
	uint32_t thread; /* WALK_BEFORE: WALK_NONE */
	uint32_t stall;	 /* index among the run's stalls, or WALK_NONE */
	enum walk_work work;
};

struct walk {
	struct walk_stretch *stretches;
	size_t count;
	size_t window_count; /* 0: the whole run was walked */
	/* threads for which several others may be the maker */
	size_t guessed_count;
};

/* Sorts the run's threads by lane and start, and its stalls by thread and time. */
void walk_find(struct walk_run *run, struct walk *ret);
