/* SPDX-License-Identifier: MIT */
/* The rows of steps and counters. */
#include "collector/merge/place.h"
#include "collector/store/row.h"

static int is_step(const struct marks_series *series)
{
	return series->kind == SEGMENT_SERIES_STEP;
}

/* A value for the database; durations become ns. */
static double plain(const struct ingest *ingest, const struct marks_series *series,
		    double value)
{
	return is_step(series) ? (double)ticks_duration_ns(&ingest->ticks, value) : value;
}

/* When a step began, or a counter was set. */
static int64_t time_ns(const struct ingest *ingest, const struct marks_series *series,
		       const struct segment_mark *mark)
{
	uint64_t ticks = mark->ticks;

	if (is_step(series) && mark->value < (double)ticks)
		ticks -= (uint64_t)mark->value;
	return ticks_since_start_ns(&ingest->ticks, ticks);
}

/* The split of a step, or of several together; none of a counter. */
static struct split_values split_of(const struct row *row,
				    const struct marks_series *series, int is_split,
				    double value, uint64_t ready_ns, uint64_t blocked_ns)
{
	return row_split(is_step(series) && is_split,
			 (int64_t)plain(row->ingest, series, value), ready_ns,
			 blocked_ns);
}

static struct split_values split_of_value(const struct row *row,
					  const struct marks_series *series,
					  const struct marks_value *value)
{
	const struct read_process *process = &row->ingest->run.processes[value->process];

	return split_of(row, series, waits_are_seen(process), value->mark.value,
			value->mark.ready_ns, value->mark.blocked_ns);
}

/* Of a value among all of them; NULL when there are none. */
static struct value known(const struct row *row, const struct marks_series *series,
			  double value)
{
	return series->lowest_count && series->highest_count
		       ? value_real(plain(row->ingest, series, value))
		       : VALUE_NONE;
}

static struct value percentile(const struct row *row, const struct marks_series *series,
			       double fraction)
{
	return known(row, series, marks_percentile(series, fraction));
}

static void add_series(struct row *row, const void *element)
{
	const struct marks_series *series = *(struct marks_series *const *)element;
	struct split_values split =
		split_of(row, series, !series->is_unsplit, series->sum, series->ready_ns,
			 series->blocked_ns);

	row_add(row, row->ids->series + (int64_t)row->index, row->ids->run,
		value_if(series->process != MARKS_ALL, row_process(row, series->process)),
		series->kind, series->name, series->count, series->value_count,
		plain(row->ingest, series, series->sum),
		known(row, series, series->sum / (double)series->value_count),
		known(row, series, series->lowest[0].mark.value),
		percentile(row, series, 0.50), percentile(row, series, 0.90),
		percentile(row, series, 0.95), percentile(row, series, 0.99),
		known(row, series, series->highest[0].mark.value),
		row_time_ns(row, series->first_ticks),
		row_time_ns(row, series->last_ticks), series->growth_bytes, split.cpu,
		split.ready, split.blocked);
}

static void add_some(struct row *row, const struct marks_series *series, int is_highest,
		     const struct marks_value *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct marks_value *value = &values[i];
		struct split_values split = split_of_value(row, series, value);

		row_add(row, row->ids->series + (int64_t)row->index, is_highest, i + 1,
			row_process(row, value->process), row_lane(row, value->lane),
			value->mark.index + 1, time_ns(row->ingest, series, &value->mark),
			plain(row->ingest, series, value->mark.value),
			value->mark.live_bytes, split.cpu, split.ready, split.blocked);
	}
}

static void add_extremes(struct row *row, const void *element)
{
	const struct marks_series *series = *(struct marks_series *const *)element;

	add_some(row, series, 1, series->highest, series->highest_count);
	add_some(row, series, 0, series->lowest, series->lowest_count);
}

static void add_spans(struct row *row, const void *element)
{
	const struct marks_series *series = *(struct marks_series *const *)element;

	for (size_t i = 0; i < series->span_count; i++) {
		const struct segment_series_span *from = &series->spans[i];
		struct split_values split =
			split_of(row, series, !series->is_unsplit, from->sum,
				 from->ready_ns, from->blocked_ns);

		row_add(row, row->ids->series + (int64_t)row->index, i + 1,
			row_time_ns(row, from->first_ticks),
			row_time_ns(row, from->last_ticks), from->count,
			plain(row->ingest, series, from->sum), from->live_bytes,
			split.cpu, split.ready, split.blocked);
	}
}

static void add_value(struct row *row, const struct marks_series *series,
		      const struct marks_value *value)
{
	double number = plain(row->ingest, series, value->mark.value);
	int64_t process = row_process(row, series->process);
	int64_t at_ns = time_ns(row->ingest, series, &value->mark);
	int64_t lane = row_lane(row, value->lane);

	if (is_step(series)) {
		struct split_values split = split_of_value(row, series, value);

		row_add(row, row->ids->run, process, series->name, value->mark.index + 1,
			at_ns, (int64_t)number, lane, value->mark.live_bytes, split.cpu,
			split.ready, split.blocked);
	} else {
		row_add(row, row->ids->run, process, series->name, value->mark.index + 1,
			at_ns, number, lane, value->mark.live_bytes);
	}
}

static int is_among(const struct marks_value *value, const struct marks_value *all,
		    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (all[i].lane == value->lane && all[i].mark.index == value->mark.index)
			return 1;
	}
	return 0;
}

/* The latest values, and the extremes that are not among them. */
static void add_values(struct row *row, const struct marks_series *series)
{
	for (size_t i = 0; i < series->latest_count; i++)
		add_value(row, series, &series->latest[i]);
	for (uint32_t i = 0; i < series->highest_count; i++) {
		if (!is_among(&series->highest[i], series->latest, series->latest_count))
			add_value(row, series, &series->highest[i]);
	}
	for (uint32_t i = 0; i < series->lowest_count; i++) {
		if (!is_among(&series->lowest[i], series->latest, series->latest_count) &&
		    !is_among(&series->lowest[i], series->highest, series->highest_count))
			add_value(row, series, &series->lowest[i]);
	}
}

static void add_steps(struct row *row, const void *element)
{
	const struct marks_series *series = *(struct marks_series *const *)element;

	if (is_step(series) && series->process != MARKS_ALL)
		add_values(row, series);
}

static void add_counters(struct row *row, const void *element)
{
	const struct marks_series *series = *(struct marks_series *const *)element;

	if (!is_step(series) && series->process != MARKS_ALL)
		add_values(row, series);
}

/* Adds a wait. rank 0: of all steps. */
static void add_wait(struct row *row, uint32_t rank, const struct marks_wait *wait)
{
	if (wait->path)
		row_add(row, row->ids->series + (int64_t)row->index, rank,
			store_path_id(row->ids, wait->path), wait->ready_ns,
			wait->blocked_ns);
}

static void add_waits(struct row *row, const void *element)
{
	const struct marks_series *series = *(struct marks_series *const *)element;
	const struct marks_wait *all = row->ingest->merge.marks.waits;

	for (size_t i = 0; i < series->wait_count; i++)
		add_wait(row, 0, &series->waits[i]);
	for (uint32_t rank = 0; rank < series->highest_count; rank++) {
		size_t first = series->highest[rank].waits; /* 0: none */

		for (uint32_t i = 0; first && i < SEGMENT_STEP_WAITS; i++)
			add_wait(row, rank + 1, &all[first + i]);
	}
}

#define SERIES ROW_LIST(merge.marks.all, merge.marks.count)

const struct row_table store_mark_tables[] = {
	{"series", add_series, SERIES},
	{"series_extreme", add_extremes, SERIES},
	{"series_span", add_spans, SERIES},
	{"series_wait", add_waits, SERIES},
	{"step", add_steps, SERIES},
	{"counter", add_counters, SERIES},
	{NULL},
};
