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
	/* What the run took, less the cost of the hooks, what its longest thread waited
	 * for a CPU, and the recorder's start and end in that thread's process. Of
	 * several processes at least the sum of their longest threads. At most: with the
	 * error of what was taken off, so that no share of it is too large. */
	double run_ns, hooks_ns;
	int64_t lane_count;
	double roots_ready_ns; /* what all instrumented code waited for a CPU */
	double lived_ns; /* of the threads of each process, from first to last: sum */
	/* What was computed, waited for a CPU and slept was told apart, in every process
	 * and on every path. Without it paths say that they computed. */
	bool has_split;
	/* Of the threads that were asked, over their lives. */
	struct time_threads {
		double wall_ns, cpu_ns, ready_ns, blocked_ns;
		int64_t count;
		/* Of those that wanted a CPU for at least half of what their process
		 * lived: so many at a time, for at least half of the time. */
		int64_t busy_count;
	} threads;

	/* From the samples of /proc, up to the last of each process. Ask measured.h. */
	bool has_samples;
	double span_ns; /* sum over the processes */
	double sampled_cpu_ns;
	double minor_faults, major_faults;
	double rss_peak_bytes; /* sum over the processes */
};

/* Loads it, before any rule is asked, and keeps the tables root_lane, piped and held, and
 * the view site_busiest. 0 or -errno (then input->error is set). */
int time_run_load(struct rule_input *input, struct time_run *ret);
