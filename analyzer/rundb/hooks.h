/* SPDX-License-Identifier: MIT */
/*
 * What the recorder took of a run: by the samples that found threads in it, where these
 * are of most of what the run computed, else its counts at its calibrated costs. Errors
 * are half the width of an interval (95 %). Must not be asked of times below: they are
 * corrected.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rundb;

struct hooks_cost {
	double ns, error_ns;
};

struct hooks {
	struct hooks_cost pair;	   /* of a call with a frame, inside and outside of it */
	struct hooks_cost counted; /* of a call that is only counted */
	struct hooks_cost alloc;   /* of a malloc and its free */
	double calls, counted_calls, allocs; /* counted calls are among the calls */
	bool has_samples;		     /* then these count: */
	struct hooks_cost sampled, sampled_counting;
	/* Of the calls, those of the thread with most: 0 to 1. */
	double busiest_share;
	double left_out_ns; /* measured, and in no time that is shown */
	double waited_ns;   /* for a CPU, by all threads; as far as it was sampled */
	bool has_budget;
	double budget_percent; /* of the program's own time */
};

/* 0 or -errno, then rundb_error() has a sentence. */
int hooks_load(struct rundb *db, int64_t run_id, struct hooks *ret);

/* All of it, over all threads. */
struct hooks_cost hooks_total(const struct hooks *hooks);
/* What calls cost that were only counted: no budget gets below it. */
struct hooks_cost hooks_counting(const struct hooks *hooks);
/*
 * What of it the run's wall time holds: at least the busiest thread's, at most all of it
 * when the threads waited for each other. The middle, and how far either end is away. And
 * on a busy machine the hooks' part of the waits for a CPU, which is known to its half.
 */
struct hooks_cost hooks_on_wall(const struct hooks *hooks, double wall_ns);
/*
 * What of the waits for a CPU fell on each nanosecond that hooks took of a run: they were
 * interrupted in them, too, and that time is in no calibrated cost. 0 on an idle machine.
 */
double hooks_waits(const struct hooks *hooks, double wall_ns);
/* In percent of a time, 0 to 100; NAN of none. */
struct hooks_cost hooks_percent(struct hooks_cost cost, double time_ns);
