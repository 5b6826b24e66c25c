/* SPDX-License-Identifier: MIT */
/*
 * Adding up resource samples of several processes over time. Must not assume that
 * processes were sampled at the same moments.
 */
#include "analyzer/reports/resources/parts.h"

#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>

/* A process as of its latest sample. */
struct state {
	int64_t process_id;
	size_t last_row;
	double cpu, rss, threads;
	double time;			    /* of its last sample */
	double minor, major, read, written; /* since its start */
	double faults;			    /* of both kinds */
	bool is_seen;
};

struct sweep {
	const struct table *samples;
	int process_column, time_column, cpu_column, rss_column, thread_column;
	int minor_column, major_column, read_column, write_column;
	struct state *states;
	size_t state_count;
	double cpu, rss, threads;  /* sums over present processes */
	double cpu_time, rss_time; /* integrals */
	double cpu_weight[RESOURCE_BINS];
	bool knows_cpu;
};

static int by_process_id(const void *left, const void *right)
{
	const struct state *a = left, *b = right;

	return (a->process_id > b->process_id) - (a->process_id < b->process_id);
}

static struct state *find_state(struct sweep *sweep, size_t row)
{
	struct state wanted = {
		.process_id =
			table_row(sweep->samples, row)[sweep->process_column].integer};

	return bsearch(&wanted, sweep->states, sweep->state_count, sizeof(wanted),
		       by_process_id);
}

static double value(const struct sweep *sweep, size_t row, int column)
{
	return cell_number(table_row(sweep->samples, row) + column);
}

/* What a sample does not know is as it was: a process that has ended, but whose parent
 * has not asked for its status, has no memory left. */
static double known(const struct sweep *sweep, size_t row, int column, double last)
{
	bool is_known = table_row(sweep->samples, row)[column].kind != CELL_NULL;

	return is_known ? value(sweep, row, column) : last;
}

static void find_processes(struct sweep *sweep)
{
	size_t count = sweep->samples->row_count, kept = 0;

	sweep->states = xcalloc(count, sizeof(*sweep->states));
	for (size_t i = 0; i < count; i++)
		sweep->states[i].process_id =
			table_row(sweep->samples, i)[sweep->process_column].integer;
	qsort(sweep->states, count, sizeof(*sweep->states), by_process_id);
	for (size_t i = 0; i < count; i++)
		if (!kept ||
		    sweep->states[kept - 1].process_id != sweep->states[i].process_id)
			sweep->states[kept++] = sweep->states[i];
	sweep->state_count = kept;
	for (size_t i = 0; i < count; i++)
		find_state(sweep, i)->last_row = i;
}

static void set_state(struct sweep *sweep, struct state *state, double cpu, double rss,
		      double threads)
{
	sweep->cpu += cpu - state->cpu;
	sweep->rss += rss - state->rss;
	sweep->threads += threads - state->threads;
	state->cpu = cpu;
	state->rss = rss;
	state->threads = threads;
}

static size_t bin_of(double time, double span)
{
	double bin = span > 0 ? time / span * RESOURCE_BINS : 0;

	return bin >= RESOURCE_BINS ? RESOURCE_BINS - 1 : bin > 0 ? (size_t)bin : 0;
}

/* fmax() takes a number rather than NAN. */
static void keep_highest(double *highest, double value)
{
	*highest = fmax(*highest, value);
}

/* The sums held from time from to time to. */
static void add_interval(struct sweep *sweep, double from, double to, double span,
			 struct resource_sums *ret)
{
	double length = to > from ? to - from : 0;

	sweep->cpu_time += sweep->cpu * length;
	sweep->rss_time += sweep->rss * length;
	for (size_t bin = bin_of(from, span); bin <= bin_of(to, span); bin++) {
		double start = span * (double)bin / RESOURCE_BINS;
		double end = span * (double)(bin + 1) / RESOURCE_BINS;
		double overlap = fmin(end, to) - fmax(start, from);

		if (overlap <= 0 && length > 0)
			continue;
		if (isnan(ret->busy_bins[bin]))
			ret->busy_bins[bin] = 0;
		keep_highest(&ret->memory_bins[bin], sweep->rss);
		keep_highest(&ret->thread_bins[bin], sweep->threads);
		ret->busy_bins[bin] += sweep->cpu * fmax(overlap, 1);
		sweep->cpu_weight[bin] += fmax(overlap, 1);
	}
}

static void keep_peaks(const struct sweep *sweep, struct resource_sums *ret)
{
	if (sweep->cpu > ret->busy_peak_percent)
		ret->busy_peak_percent = sweep->cpu;
	if (sweep->rss > (double)ret->memory_peak_bytes)
		ret->memory_peak_bytes = whole_number(sweep->rss);
	if (sweep->threads > (double)ret->thread_peak)
		ret->thread_peak = whole_number(sweep->threads);
}

/* What was counted since the sample before is spread over the time from then to now. */
static void spread(double *bins, double *last, double now, double from, double to,
		   double span)
{
	double amount = now > *last ? now - *last : 0, length = to - from;

	*last = now;
	if (!(amount > 0))
		return;
	if (!(length > 0)) {
		bins[bin_of(to, span)] += amount;
		return;
	}
	for (size_t bin = bin_of(from, span); bin <= bin_of(to, span); bin++) {
		double start = span * (double)bin / RESOURCE_BINS;
		double end = span * (double)(bin + 1) / RESOURCE_BINS;

		bins[bin] += amount / length * fmax(fmin(end, to) - fmax(start, from), 0);
	}
}

/* A process that is new is taken to have begun at the moment before. */
static void count_up(struct sweep *sweep, size_t row, double before, double span,
		     struct resource_sums *ret)
{
	struct state *state = find_state(sweep, row);
	double to = value(sweep, row, sweep->time_column);
	double from = state->is_seen ? state->time : before;

	state->minor = known(sweep, row, sweep->minor_column, state->minor);
	state->major = known(sweep, row, sweep->major_column, state->major);
	spread(ret->fault_bins, &state->faults, state->minor + state->major, from, to,
	       span);
	spread(ret->read_bins, &state->read,
	       known(sweep, row, sweep->read_column, state->read), from, to, span);
	spread(ret->write_bins, &state->written,
	       known(sweep, row, sweep->write_column, state->written), from, to, span);
	state->time = to;
	state->is_seen = true;
}

/* One moment: all samples of one time. Returns the first row after it. */
static size_t take_moment(struct sweep *sweep, size_t row)
{
	double time = value(sweep, row, sweep->time_column);

	for (; row < sweep->samples->row_count &&
	       value(sweep, row, sweep->time_column) <= time;
	     row++) {
		struct state *state = find_state(sweep, row);

		sweep->knows_cpu |=
			table_row(sweep->samples, row)[sweep->cpu_column].kind !=
			CELL_NULL;
		set_state(sweep, state, known(sweep, row, sweep->cpu_column, state->cpu),
			  known(sweep, row, sweep->rss_column, state->rss),
			  known(sweep, row, sweep->thread_column, state->threads));
	}
	return row;
}

static void drop_ended(struct sweep *sweep, size_t from, size_t to)
{
	for (size_t row = from; row < to; row++) {
		struct state *state = find_state(sweep, row);

		if (state->last_row == row)
			set_state(sweep, state, 0, 0, 0);
	}
}

/* Faults and bytes are counted since a process began: the last has its sum. */
static void add_totals(const struct sweep *sweep, struct resource_sums *ret)
{
	double minor = 0, major = 0, read = 0, written = 0;

	for (size_t i = 0; i < sweep->state_count; i++) {
		minor += sweep->states[i].minor;
		major += sweep->states[i].major;
		read += sweep->states[i].read;
		written += sweep->states[i].written;
	}
	ret->minor_faults = whole_number(minor);
	ret->major_faults = whole_number(major);
	ret->read_bytes = whole_number(read);
	ret->write_bytes = whole_number(written);
}

/* From amounts to rates; NAN where no sample is. */
static void per_second(double *bins, const struct resource_sums *sums)
{
	double seconds = (double)sums->span_ns / 1e9 / RESOURCE_BINS;

	for (size_t i = 0; i < RESOURCE_BINS; i++)
		bins[i] = isnan(sums->busy_bins[i]) || !(seconds > 0) ? NAN
								      : bins[i] / seconds;
}

void resources_add_up(const struct table *samples, int64_t start_ns, int64_t end_ns,
		      struct resource_sums *ret)
{
	struct sweep sweep = {
		.samples = samples,
		.process_column = table_column(samples, "process_id"),
		.time_column = table_column(samples, "time_ns"),
		.cpu_column = table_column(samples, "cpu_percent"),
		.rss_column = table_column(samples, "rss_bytes"),
		.thread_column = table_column(samples, "thread_count"),
		.minor_column = table_column(samples, "minor_faults"),
		.major_column = table_column(samples, "major_faults"),
		.read_column = table_column(samples, "read_bytes"),
		.write_column = table_column(samples, "write_bytes"),
	};
	size_t count = samples->row_count;
	double before = (double)start_ns, span, length;

	*ret = (struct resource_sums){.sample_count = count};
	for (size_t i = 0; i < RESOURCE_BINS; i++)
		ret->busy_bins[i] = ret->memory_bins[i] = ret->thread_bins[i] = NAN;
	if (!count)
		return;
	find_processes(&sweep);
	span = fmax(value(&sweep, count - 1, sweep.time_column), (double)end_ns);
	length = value(&sweep, count - 1, sweep.time_column) - before;
	ret->span_ns = whole_number(span);
	for (size_t row = 0; row < count;) {
		double time = value(&sweep, row, sweep.time_column);
		size_t next = take_moment(&sweep, row);

		for (size_t i = row; i < next; i++)
			count_up(&sweep, i, before, span, ret);
		ret->moment_count++;
		add_interval(&sweep, before, time, span, ret);
		keep_peaks(&sweep, ret);
		drop_ended(&sweep, row, next);
		before = time;
		row = next;
	}
	ret->busy_average_percent =
		length > 0 ? sweep.cpu_time / length : ret->busy_peak_percent;
	ret->memory_average_bytes = length > 0 ? whole_number(sweep.rss_time / length)
					       : ret->memory_peak_bytes;
	ret->busy_ns = sweep.cpu_time / 100;
	if (!sweep.knows_cpu)
		ret->busy_average_percent = ret->busy_peak_percent = ret->busy_ns = NAN;
	for (size_t i = 0; i < RESOURCE_BINS; i++)
		if (sweep.cpu_weight[i] > 0)
			ret->busy_bins[i] /= sweep.cpu_weight[i];
	per_second(ret->fault_bins, ret);
	per_second(ret->read_bins, ret);
	per_second(ret->write_bins, ret);
	add_totals(&sweep, ret);
	free(sweep.states);
}
