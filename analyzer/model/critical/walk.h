/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a run: a chain of stretches, each on one thread, from the run's
 * end back to its start. While a thread works, the chain stays on it. Where it was
 * waiting for another thread, the chain goes on, at the end of that wait, on the thread
 * that ended it; where a thread began, on the one that had made it. So the stretches
 * follow one on the other without a gap and are as long as the run: what would be taken
 * out of them is the most by which it can become shorter.
 *
 * Where waits were only kept in some windows of time, each window is walked by itself;
 * the stretches are samples then.
 */
#pragma once

#include "analyzer/model/critical/run.h"

enum walk_work {
	WALK_OWN,    /* did what the lane's paths say */
	WALK_HELD,   /* the same, and had the lock that somebody waited for: stall */
	WALK_WAITED, /* in that stall, and nobody knows for whom; or asleep */
	WALK_WOKEN,  /* at the end of that stall, which was over but for being woken */
	WALK_BEGUN,  /* made, and on its way to its first call */
	WALK_BEFORE, /* before the first thread was seen, or where no thread is known */
};

/* A stretch of the chain; the latest comes first. */
struct walk_stretch {
	double begin_ns, end_ns;
	uint32_t thread; /* WALK_BEFORE: WALK_NONE */
	uint32_t stall;	 /* index in the run's, or WALK_NONE */
	enum walk_work work;
};

struct walk {
	struct walk_stretch *stretches; /* owned: walk_done() */
	size_t count;
	size_t window_count; /* 0: the whole run was walked */
	/* Threads that several others may have made. */
	size_t guessed_count;
};

/* Sorts the run's threads by lane and start, and its stalls by thread and time. */
void walk_find(struct walk_run *run, struct walk *ret);
void walk_done(struct walk *walk);
