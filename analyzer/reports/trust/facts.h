/* SPDX-License-Identifier: MIT */
/* The facts of a run. */
#pragma once

#include "analyzer/reports/report.h"
#include "analyzer/rundb/hooks.h"

/* The run in numbers. Texts are borrowed from the document that run_facts_load() got. */
struct run_facts {
	const char *label, *command, *started_utc, *host, *level;
	int64_t wall_ns, thread_ns, cpu_count;
	/* What the threads computed, waited for a CPU, and slept: told apart in every
	 * process. */
	bool is_split;
	int64_t cpu_ns, ready_ns, blocked_ns;
	int64_t exit_code, exit_signal;
	bool has_exit_code, has_exit_signal, complete;
	bool has_wall;	  /* else it is not known how long the run took */
	bool is_live;	  /* still being recorded */
	bool is_attended; /* by a collector, when live */
	struct hooks hooks;
	int64_t calls;	       /* by the hooks, as counted by the functions */
	int64_t inlined_calls; /* of them, those of inlined copies */
	int64_t function_count, path_count;
	int64_t self_ns, raw_self_ns; /* sums over functions */
	int64_t self_off_ns;	      /* of self_ns: waited for a CPU, and slept */
	/* Of the roots: what the clock said, and what hooks took beside; how far the
	 * corrected sum may be off. */
	int64_t recorded_ns, total_error_ns;
	/* Functions that may have much of the time, and that it is not known of; without
	 * those that were counted and not timed. */
	int64_t unknown_count;
	/* Functions recorded so. */
	int64_t counted_count, off_count, sampled_count;
	/* Samples of CPU time, what they stand for, and what one cost. */
	int64_t cpu_sample_count, sampled_ns, sample_tick_ns;
	bool samples_off;	     /* asked for */
	const char *samples_refused; /* why; NULL: they were not */
	const char *timer_reason;    /* likewise, where a timer took their place */
	int64_t alloc_count, alloc_bytes, free_count;
	int64_t peak_bytes, live_bytes;
	int64_t peaks_bytes; /* of all processes, each at its own time */
	/* Of the process whose peak it is; 0: not known. Live are those of all. */
	int64_t peak_pid, peak_live_bytes;
	int64_t allocating_process_count;
	int64_t temporary_count;
	int64_t process_count, thread_count, sample_count, snapshot_count;
	int64_t plain_sample_count; /* of CPU time, of programs without hooks */
};
int run_facts_load(struct report_input *input, struct doc *doc, struct run_facts *ret);
/* What the recorder took of the recorded time, in percent. */
struct hooks_cost run_facts_hooks(const struct run_facts *facts);
/* What the program's functions computed, all threads together and without the hooks; of a
 * run whose waits were not told apart what they took. Shares of functions are of it. The
 * error is larger than that of the sum when both together are more than threads computed.
 */
struct hooks_cost run_facts_program(const struct run_facts *facts);
/* On a busy machine hooks were interrupted, too: that time is in the program's, */
double run_facts_hooks_waited_ns(const struct run_facts *facts);
/* and adds to the error of the run's time. */
double run_facts_error_ns(const struct run_facts *facts);
/* Nothing was recorded: no calls, no allocations, no samples of CPU time. */
bool run_facts_empty(const struct run_facts *facts);
