/* SPDX-License-Identifier: MIT */
/* The facts of a run. */
#pragma once

#include "analyzer/reports/report.h"
#include "analyzer/rundb/hooks.h"

/* The run in numbers. Texts belong to the document given to run_facts_load(). */
struct run_facts {
	const char *label, *command, *started_utc, *host, *level;
	int64_t wall_ns, thread_ns, cpu_count;
	/* Whether every process told computing, waits for a CPU and sleep apart. */
	bool is_split;
	int64_t cpu_ns, ready_ns, blocked_ns;
	int64_t exit_code, exit_signal;
	bool has_exit_code, has_exit_signal, complete;
	bool has_wall;	  /* false: it is not known how long the run took */
	bool is_live;	  /* still being recorded */
	bool is_attended; /* by a collector, if live */
	struct hooks hooks;
	int64_t calls;	       /* seen by the hooks */
	int64_t inlined_calls; /* those of inlined copies among them */
	int64_t function_count, path_count;
	int64_t self_ns, raw_self_ns; /* sums over functions */
	int64_t self_off_ns;	      /* part of self_ns: waits for a CPU, and sleep */
	/* Of the roots: clock time, and the error of the corrected sum. */
	int64_t recorded_ns, total_error_ns;
	/* Functions that may have much time, but whose time is not known; without those
	 * that were counted and not timed. */
	int64_t unknown_count;
	/* Number of functions recorded in this way. */
	int64_t counted_count, off_count, sampled_count;
	int64_t uncounted_count; /* of the sampled ones: without hooks */
	/* Samples of CPU time: their number, the time they stand for, the cost of one. */
	int64_t cpu_sample_count, sampled_ns, sample_tick_ns;
	bool samples_off;	     /* asked for */
	const char *samples_refused; /* why the kernel refused them; NULL: it did not */
	const char *timer_reason;    /* why a timer replaced them; or NULL */
	int64_t alloc_count, alloc_bytes, free_count;
	int64_t peak_bytes, live_bytes;
	int64_t peaks_bytes; /* sum of all processes' peaks, at different times */
	/* The process with the highest peak, and its live bytes; 0: not known. live: of
	 * all. */
	int64_t peak_pid, peak_live_bytes;
	int64_t allocating_process_count;
	int64_t temporary_count;
	int64_t process_count, thread_count, sample_count, snapshot_count;
	int64_t plain_sample_count; /* of CPU time, of programs without hooks */
};
int run_facts_load(struct report_input *input, struct doc *doc, struct run_facts *ret);
/* The recorder's cost in percent of the recorded time. */
struct hooks_cost run_facts_hooks(const struct run_facts *facts);
/* What the program's functions computed, over all threads and without hooks; if waits
 * were not told apart, all their time. Shares of functions refer to it. The error is
 * larger than the sum's if time and error together exceed what threads computed. */
struct hooks_cost run_facts_program(const struct run_facts *facts);
/* The hooks' part of the waits for a CPU, which is in the program's time, */
double run_facts_hooks_waited_ns(const struct run_facts *facts);
/* and adds to the error of the run's time. */
double run_facts_error_ns(const struct run_facts *facts);
/* Whether nothing was recorded: no calls, allocations or samples of CPU time. */
bool run_facts_empty(const struct run_facts *facts);
