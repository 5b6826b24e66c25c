/* SPDX-License-Identifier: MIT */
/*
 * What a run's time was spent on, as far as the recording tells: the base of all rules
 * about time. Must not count processes in which no instrumented function was called,
 * such as a shell that waits for the program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rule_input;

/* A shorter look at /proc says nothing. */
#define TIME_RUN_SPAN_LEAST_NS 50e6

struct time_run {
	/* What the run took, less the cost of the hooks. Of several processes at least
	 * the sum of their longest threads. At most: with the error of what was taken
	 * off, so that no share of it is too large. */
	double run_ns, hooks_ns;
	int64_t lane_count;
	bool has_waiters; /* a thread may have waited for another one */

	/* From the samples of /proc, up to the last of each process. Ask measured.h. */
	bool has_cpu;
	double span_ns;	   /* sum over the processes */
	double thread_ns;  /* sum over their threads */
	double cpu_ns;	   /* computed */
	double starved_ns; /* ready to compute, without a CPU; at least */
	double idle_ns;	   /* the rest of thread_ns: waited; at most */
	double minor_faults, major_faults;
	double long_ns; /* own time of functions whose calls are long enough to wait */
	double rss_peak_bytes; /* sum over the processes */
	int64_t thread_peak;   /* of one process */
};

/* Loads it, before any rule is asked. 0 or -errno (then input->error is set). */
int time_run_load(struct rule_input *input, struct time_run *ret);

/*
 * With threads, own_ns of a function's own time in calls may well be waits for other
 * threads: of the time in long calls at least half was idle, and there is room for half
 * of these. Of a program that computes while main() waits for its threads it says no.
 */
bool time_run_may_wait(const struct time_run *run, double own_ns);
/* Its calls are long enough to have waited. */
bool time_run_is_long(double own_ns, double calls);

/* The part of the threads' wish to compute that was met, 0.1 to 1: durations on a busy
 * machine times this are what an idle machine would show. */
double time_run_met(const struct time_run *run);
/* run_ns on an idle machine. */
double time_run_unhindered_ns(const struct time_run *run);
/* The same of the threads while they wished to compute, without those that waited. */
double time_run_served(const struct time_run *run);

/*
 * What a function itself, or a path with what is below, holds of the run: the longest
 * thread's share of it in each process, added up. Four threads that do the same for a
 * second hold one second of the run. self_ns or total_ns over all threads is the answer
 * for a run with one. 0 or -errno.
 */
int time_run_function(struct rule_input *input, int64_t function_id, double self_ns,
		      double *ret_ns);
int time_run_path(struct rule_input *input, int64_t path_id, double total_ns,
		  double *ret_ns);
