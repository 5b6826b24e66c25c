/* SPDX-License-Identifier: MIT */
/*
 * Adding up what the run's time was spent on. Must not take time in which a thread
 * waited for a CPU for time in which it had nothing to do.
 */
#include "analyzer/rules/time/run.h"

#include "common/base/xalloc.h"
#include "analyzer/rules/rule.h"
#include "analyzer/rules/time/lanes.h"
#include "analyzer/rundb/rundb.h"

#include "time_run.sql.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A wait takes two switches of threads and a wake-up: most calls that are shorter on
 * average did not wait. */
#define WAIT_LEAST_NS 20e3

/* Of a run that was nearly all hooks, what remains is not known better. */
#define UNHINDERED_LEAST 0.25

/* Of less of the processes' lives the samples do not tell what they did. */
#define LIVED_LEAST 0.5

struct process {
	int64_t process_id;
	double longest_ns; /* thread, by its instrumented roots */
	/* samples */
	double start_ns, end_ns, known_ns; /* known: time of the last CPU share */
	double lived_ns;
	double cpu_ns, starved_ns, rss_peak_bytes, minor_faults, major_faults;
	int64_t thread_peak;
};

struct load {
	struct rule_input *input;
	struct time_run *run;
	struct process *list; /* by process_id */
	size_t count, capacity;
	double longest_ns, lanes_ns; /* the longest lane; all lanes */
};

static struct process *find(struct load *load, int64_t process_id)
{
	size_t low = 0, high = load->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (load->list[middle].process_id < process_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < load->count && load->list[low].process_id == process_id
		       ? &load->list[low]
		       : NULL;
}

static void add_lane(struct load *load, int64_t process_id, double total_ns)
{
	if (!load->count || load->list[load->count - 1].process_id != process_id) {
		load->list = xgrow(load->list, load->count, &load->capacity,
				   sizeof(*load->list));
		load->list[load->count++] = (struct process){.process_id = process_id};
	}
	load->run->lane_count++;
	load->lanes_ns += total_ns;
	load->longest_ns = fmax(load->longest_ns, total_ns);
	load->list[load->count - 1].longest_ns =
		fmax(load->list[load->count - 1].longest_ns, total_ns);
}

static int load_lanes(struct load *load, const char *sql)
{
	struct cursor *cursor = rule_query(load->input, sql);

	while (cursor_next(cursor) > 0)
		add_lane(load, cursor_integer(cursor, "process_id"),
			 cursor_real(cursor, "lane_ns"));
	return rule_finish(load->input, cursor, 0);
}

static int load_run_ns(struct load *load)
{
	double longest_sum = 0, hooks_ns = 0, error_ns = 0;
	struct cursor *cursor = rule_query(load->input, time_run_sql_hooks);

	if (cursor_next(cursor) > 0 && load->lanes_ns > 0) {
		hooks_ns = cursor_real(cursor, "hooks_ns") * load->longest_ns /
			   load->lanes_ns;
		error_ns =
			load->input->total_error_ns * load->longest_ns / load->lanes_ns;
	}
	for (size_t i = 0; i < load->count; i++)
		longest_sum += load->list[i].longest_ns;
	load->run->run_ns =
		fmin(fmax(load->input->wall_ns - hooks_ns, longest_sum) + error_ns,
		     fmax(load->input->wall_ns, longest_sum));
	load->run->hooks_ns = hooks_ns;
	return rule_finish(load->input, cursor, 0);
}

static int load_long_calls(struct load *load)
{
	struct cursor *cursor = rule_query(load->input, time_run_sql_long_calls);

	cursor_bind_real(cursor, ":least", WAIT_LEAST_NS);
	if (cursor_next(cursor) > 0)
		load->run->long_ns = cursor_real(cursor, "self_ns");
	return rule_finish(load->input, cursor, 0);
}

static void add_sample(struct process *process, struct cursor *cursor)
{
	double time_ns = cursor_real(cursor, "time_ns");

	if (!process->known_ns)
		process->known_ns = process->start_ns = cursor_real(cursor, "started_ns");
	process->rss_peak_bytes =
		fmax(process->rss_peak_bytes, cursor_real(cursor, "rss_bytes"));
	if (cursor_integer(cursor, "thread_count") > process->thread_peak)
		process->thread_peak = cursor_integer(cursor, "thread_count");
	/* These count from the start of the process. */
	process->minor_faults =
		fmax(process->minor_faults, cursor_real(cursor, "minor_faults"));
	process->major_faults =
		fmax(process->major_faults, cursor_real(cursor, "major_faults"));
	process->starved_ns =
		fmax(process->starved_ns, cursor_real(cursor, "cpu_wait_ns"));
	if (cursor_is_null(cursor, "cpu_percent") || time_ns <= process->known_ns)
		return;
	process->cpu_ns +=
		cursor_real(cursor, "cpu_percent") / 100 * (time_ns - process->known_ns);
	process->known_ns = process->end_ns = time_ns;
}

static int load_samples(struct load *load)
{
	struct cursor *cursor = rule_query(load->input, time_run_sql_samples);

	while (cursor_next(cursor) > 0) {
		struct process *process =
			find(load, cursor_integer(cursor, "process_id"));

		if (process)
			add_sample(process, cursor);
	}
	return rule_finish(load->input, cursor, 0);
}

static int load_lives(struct load *load)
{
	struct cursor *cursor = rule_query(load->input, time_run_sql_lives);

	while (cursor_next(cursor) > 0) {
		struct process *process =
			find(load, cursor_integer(cursor, "process_id"));

		if (process)
			process->lived_ns = cursor_real(cursor, "wall_ns");
	}
	return rule_finish(load->input, cursor, 0);
}

/* The time that threads lived up to the last sample of their process. */
static int load_threads(struct load *load)
{
	struct cursor *cursor = rule_query(load->input, time_run_sql_threads);
	int64_t previous = -1;

	while (cursor_next(cursor) > 0) {
		const struct process *process =
			find(load, cursor_integer(cursor, "process_id"));
		double end_ns;

		if (!process)
			continue;
		if (process->process_id == previous)
			load->run->has_waiters = true;
		previous = process->process_id;
		end_ns = cursor_is_null(cursor, "ended_ns")
				 ? process->end_ns
				 : fmin(process->end_ns, cursor_real(cursor, "ended_ns"));
		load->run->thread_ns +=
			fmax(0, end_ns - cursor_real(cursor, "started_ns"));
	}
	return rule_finish(load->input, cursor, 0);
}

static void add_up(struct load *load)
{
	struct time_run *run = load->run;
	double lived_ns = 0;

	for (size_t i = 0; i < load->count; i++) {
		const struct process *process = &load->list[i];

		run->span_ns += fmax(0, process->end_ns - process->start_ns);
		lived_ns += process->lived_ns;
		run->cpu_ns += process->cpu_ns;
		run->starved_ns += process->starved_ns;
		run->rss_peak_bytes += process->rss_peak_bytes;
		run->minor_faults += process->minor_faults;
		run->major_faults += process->major_faults;
		if (process->thread_peak > run->thread_peak)
			run->thread_peak = process->thread_peak;
	}
	/* Threads that the recording did not see computed, too. */
	run->thread_ns = fmax(run->thread_ns, run->span_ns);
	run->idle_ns = fmax(0, run->thread_ns - run->cpu_ns - run->starved_ns);
	run->has_cpu = run->span_ns >= TIME_RUN_SPAN_LEAST_NS &&
		       run->span_ns >= lived_ns * LIVED_LEAST;
}

int time_run_load(struct rule_input *input, struct time_run *ret)
{
	struct load load = {.input = input, .run = ret};
	int result;

	*ret = (struct time_run){0};
	result = load_lanes(&load, time_run_sql_roots);
	if (result == 0 && !load.count)
		result = load_lanes(&load, time_run_sql_one_root);
	if (result == 0)
		result = load_run_ns(&load);
	if (result == 0)
		result = load_long_calls(&load);
	if (result == 0)
		result = load_lives(&load);
	if (result == 0)
		result = load_samples(&load);
	if (result == 0)
		result = load_threads(&load);
	if (result == 0)
		add_up(&load);
	free(load.list);
	return result;
}

bool time_run_may_wait(const struct time_run *run, double own_ns)
{
	return run->has_waiters && run->has_cpu && run->idle_ns >= own_ns / 2 &&
	       run->idle_ns >= run->long_ns / 2;
}

bool time_run_is_long(double own_ns, double calls)
{
	return own_ns >= WAIT_LEAST_NS * calls;
}

/* The waits are spread over as many threads as wished for a CPU at a time. Not over all
 * that lived: who waits for a thread without a CPU is held up as long. */
double time_run_met(const struct time_run *run)
{
	double wished_ns = fmax(run->span_ns, run->cpu_ns + run->starved_ns);
	double met = run->has_cpu ? 1 - run->starved_ns / wished_ns : 1;

	return fmin(1, fmax(0.1, met));
}

/* The hooks' cost is of computing: what was waited for their sake is not among it. */
double time_run_unhindered_ns(const struct time_run *run)
{
	double met = time_run_met(run);
	double ns = run->run_ns * met - run->hooks_ns * (1 - met);

	return fmax(ns, UNHINDERED_LEAST * run->run_ns * met);
}

double time_run_served(const struct time_run *run)
{
	double wished_ns = run->cpu_ns + run->starved_ns;
	double served = run->has_cpu && wished_ns > 0 ? run->cpu_ns / wished_ns : 1;

	return fmin(1, fmax(0.1, served));
}

/* Rows of process and ns: the largest of each process, added up. */
static int add_largest(struct rule_input *input, const char *sql, int64_t id,
		       double *ret_ns)
{
	double largest_ns = 0, sum_ns = 0;
	int64_t previous = -1;
	struct cursor *cursor = rule_query(input, sql);

	cursor_bind_integer(cursor, ":id", id);
	while (cursor_next(cursor) > 0) {
		if (cursor_integer(cursor, "process_id") != previous) {
			sum_ns += largest_ns;
			largest_ns = 0;
		}
		previous = cursor_integer(cursor, "process_id");
		largest_ns = fmax(largest_ns, cursor_real(cursor, "self_ns"));
	}
	*ret_ns = sum_ns + largest_ns;
	return rule_finish(input, cursor, 0);
}

int time_run_function(struct rule_input *input, int64_t function_id, double self_ns,
		      double *ret_ns)
{
	int result;

	*ret_ns = self_ns;
	if (input->time_run->lane_count < 2)
		return 0;
	result = time_lanes_function(input, function_id, ret_ns);
	return result != -ENOENT ? result
				 : add_largest(input, time_run_sql_function_lanes,
					       function_id, ret_ns);
}

int time_run_path(struct rule_input *input, int64_t path_id, double total_ns,
		  double *ret_ns)
{
	*ret_ns = total_ns;
	return input->time_run->lane_count < 2
		       ? 0
		       : add_largest(input, time_run_sql_path_lanes, path_id, ret_ns);
}
