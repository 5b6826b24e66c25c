/* SPDX-License-Identifier: MIT */
/*
 * Adding up what the run's time was spent on. Must not guess what was not measured.
 */
#include "analyzer/rules/time/run.h"

#include "common/base/xalloc.h"
#include "analyzer/rules/rule.h"
#include "analyzer/rundb/rundb.h"

#include "time_run.sql.h"

#include <math.h>
#include <stdlib.h>

/* Of less of the processes' lives the samples do not tell what they did. */
#define LIVED_LEAST 0.5

struct process {
	int64_t process_id;
	double longest_ns; /* thread, by its instrumented roots, less waits for a CPU */
	double lived_ns;
	/* samples */
	double start_ns, end_ns, known_ns; /* known: time of the last CPU share */
	double cpu_ns, rss_peak_bytes, minor_faults, major_faults;
};

struct load {
	struct rule_input *input;
	struct time_run *run;
	struct process *list; /* by process_id */
	size_t count, capacity;
	double longest_ns, longest_ready_ns, lanes_ns; /* the longest lane; all lanes */
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

static void add_lane(struct load *load, int64_t process_id, double total_ns,
		     double ready_ns)
{
	total_ns -= ready_ns;
	if (!load->count || load->list[load->count - 1].process_id != process_id) {
		load->list = xgrow(load->list, load->count, &load->capacity,
				   sizeof(*load->list));
		load->list[load->count++] = (struct process){.process_id = process_id};
	}
	load->run->lane_count++;
	load->lanes_ns += total_ns;
	load->run->roots_ready_ns += ready_ns;
	if (total_ns >= load->longest_ns) {
		load->longest_ns = total_ns;
		load->longest_ready_ns = ready_ns;
	}
	load->list[load->count - 1].longest_ns =
		fmax(load->list[load->count - 1].longest_ns, total_ns);
}

static int load_lanes(struct load *load, const char *sql)
{
	struct cursor *cursor = rule_query(load->input, sql);

	while (cursor_next(cursor) > 0)
		add_lane(load, cursor_integer(cursor, "process_id"),
			 cursor_real(cursor, "lane_ns"), cursor_real(cursor, "ready_ns"));
	return rule_finish(load->input, cursor, 0);
}

static int load_run_ns(struct load *load)
{
	double longest_sum = 0, hooks_ns = 0, error_ns = 0;
	double wall_ns = load->input->wall_ns - load->longest_ready_ns;
	struct cursor *cursor = rule_query(load->input, time_run_sql_hooks);

	if (cursor_next(cursor) > 0 && load->lanes_ns > 0) {
		hooks_ns = cursor_real(cursor, "hooks_ns") * load->longest_ns /
			   load->lanes_ns;
		error_ns =
			load->input->total_error_ns * load->longest_ns / load->lanes_ns;
	}
	for (size_t i = 0; i < load->count; i++)
		longest_sum += load->list[i].longest_ns;
	load->run->run_ns = fmin(fmax(wall_ns - hooks_ns, longest_sum) + error_ns,
				 fmax(wall_ns, longest_sum));
	load->run->hooks_ns = hooks_ns;
	return rule_finish(load->input, cursor, 0);
}

static int load_split(struct load *load)
{
	struct cursor *cursor = rule_query(load->input, time_run_sql_split);

	if (cursor_next(cursor) > 0)
		load->run->has_split = cursor_real(cursor, "seen") > 0 &&
				       !(cursor_real(cursor, "unseen") > 0);
	return rule_finish(load->input, cursor, 0);
}

static void add_sample(struct process *process, struct cursor *cursor)
{
	double time_ns = cursor_real(cursor, "time_ns");

	if (!process->known_ns)
		process->known_ns = process->start_ns = cursor_real(cursor, "started_ns");
	process->rss_peak_bytes =
		fmax(process->rss_peak_bytes, cursor_real(cursor, "rss_bytes"));
	/* These count from the start of the process. */
	process->minor_faults =
		fmax(process->minor_faults, cursor_real(cursor, "minor_faults"));
	process->major_faults =
		fmax(process->major_faults, cursor_real(cursor, "major_faults"));
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

static int load_threads(struct load *load)
{
	struct cursor *cursor = rule_query(load->input, time_run_sql_threads);
	struct time_threads *threads = &load->run->threads;

	while (cursor_next(cursor) > 0) {
		const struct process *process =
			find(load, cursor_integer(cursor, "process_id"));
		double cpu_ns = cursor_real(cursor, "cpu_ns"),
		       ready_ns = cursor_real(cursor, "ready_ns");

		if (!process)
			continue;
		threads->count++;
		threads->wall_ns += cursor_real(cursor, "wall_ns");
		threads->cpu_ns += cpu_ns;
		threads->ready_ns += ready_ns;
		threads->blocked_ns += cursor_real(cursor, "blocked_ns");
		threads->busy_count += cpu_ns + ready_ns >= process->lived_ns / 2;
	}
	return rule_finish(load->input, cursor, 0);
}

static void add_up(struct load *load)
{
	struct time_run *run = load->run;

	for (size_t i = 0; i < load->count; i++) {
		const struct process *process = &load->list[i];

		run->span_ns += fmax(0, process->end_ns - process->start_ns);
		run->lived_ns += process->lived_ns;
		run->sampled_cpu_ns += process->cpu_ns;
		run->rss_peak_bytes += process->rss_peak_bytes;
		run->minor_faults += process->minor_faults;
		run->major_faults += process->major_faults;
	}
	run->has_samples = run->span_ns >= TIME_RUN_SPAN_LEAST_NS &&
			   run->span_ns >= run->lived_ns * LIVED_LEAST;
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
		result = load_split(&load);
	if (result == 0)
		result = load_lives(&load);
	if (result == 0)
		result = load_samples(&load);
	if (result == 0)
		result = load_threads(&load);
	if (result == 0)
		add_up(&load);
	if (result == 0)
		result = rundb_keep(input->db, "held", time_run_sql_held, input->run_id);
	free(load.list);
	return result;
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

int time_run_path(struct rule_input *input, int64_t path_id, double total_ns,
		  double *ret_ns)
{
	*ret_ns = total_ns;
	return input->time_run->lane_count < 2
		       ? 0
		       : add_largest(input, time_run_sql_path_lanes, path_id, ret_ns);
}
