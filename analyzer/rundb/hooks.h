/* SPDX-License-Identifier: MIT */
/*
 * What the recorder took of a run: by samples that found threads in it, if these cover
 * most of what the run computed; else by its counts at calibrated costs. Errors are half
 * the 95 % interval. Do not apply this to stored times: they are corrected already.
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
	double calls, counted_calls, allocs; /* calls include counted_calls */
	bool has_samples;		     /* then the samples are used: */
	struct hooks_cost sampled, sampled_counting;
	/* The share of the busiest thread in all calls, 0 to 1. */
	double busiest_share;
	double left_out_ns; /* measured, but in no time that is shown */
	double waited_ns;   /* for a CPU, by all threads, as far as it was sampled */
	bool has_budget;
	double budget_percent; /* of the program's own time */
};

void hooks_load(struct rundb *db, int64_t run_id, struct hooks *ret);

/* The cost of everything, over all threads. */
struct hooks_cost hooks_total(const struct hooks *hooks);
/* The cost of calls that were only counted: no budget can be smaller. */
struct hooks_cost hooks_counting(const struct hooks *hooks);
/*
 * The part of the cost in the run's wall time: at least the busiest thread's, at most
 * all of it if threads waited for each other. Returns the middle, and the distance to
 * either end. On a busy machine the hooks' part of the waits for a CPU is added, half of
 * which is uncertain.
 */
struct hooks_cost hooks_on_wall(const struct hooks *hooks, double wall_ns);
/*
 * The waits for a CPU for each nanosecond of hooks: hooks get interrupted, too, and no
 * calibrated cost contains that. 0 on an idle machine.
 */
double hooks_waits(const struct hooks *hooks, double wall_ns);
/* A cost in percent of a time, 0 to 100; NAN if the time is 0. */
struct hooks_cost hooks_percent(struct hooks_cost cost, double time_ns);
