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

static struct split_values split_of_value(const struct row *row,
					  const struct marks_series *series,
					  const struct marks_value *value)
{
	const struct ingest *ingest = row->ingest;

	return row_split(is_step(series) &&
				 waits_are_seen(&ingest->run.processes[value->process]),
			 (int64_t)plain(ingest, series, value->mark.value),
			 value->mark.ready_ns, value->mark.blocked_ns);
}

/* The split of several steps together. */
static struct split_values split_of_sum(const struct row *row,
					const struct marks_series *series, double sum,
					uint64_t ready_ns, uint64_t blocked_ns)
{
	return row_split(is_step(series) && !series->is_unsplit,
			 (int64_t)plain(row->ingest, series, sum), ready_ns, blocked_ns);
}

static struct value percentile(const struct row *row, const struct marks_series *series,
			       double fraction)
{
	if (!series->lowest_count || !series->highest_count)
		return VALUE_NONE;
	return value_real(plain(row->ingest, series, marks_percentile(series, fraction)));
}

static void add_series(struct row *row)
{
	const struct marks *marks = &row->ingest->merge.marks;
	const struct ingest *ingest = row->ingest;

	for (size_t i = 0; i < marks->count; i++) {
		const struct marks_series *series = marks->all[i];
		struct split_values split = split_of_sum(
			row, series, series->sum, series->ready_ns, series->blocked_ns);
		struct value mean = VALUE_NONE, least = VALUE_NONE, most = VALUE_NONE;

		if (series->lowest_count && series->highest_count) {
			mean = value_real(
				plain(ingest, series,
				      series->sum / (double)series->value_count));
			least = value_real(
				plain(ingest, series, series->lowest[0].mark.value));
			most = value_real(
				plain(ingest, series, series->highest[0].mark.value));
		}
		row_add(row, row->ids->series + (int64_t)i, row->ids->run,
			value_if(series->process != MARKS_ALL,
				 row->ids->process + series->process),
			series->kind, series->name, series->count, series->value_count,
			plain(ingest, series, series->sum), mean, least,
			percentile(row, series, 0.50), percentile(row, series, 0.90),
			percentile(row, series, 0.95), percentile(row, series, 0.99),
			most, row_time_ns(row, series->first_ticks),
			row_time_ns(row, series->last_ticks), series->growth_bytes,
			split.cpu, split.ready, split.blocked);
	}
}

static void add_extreme(struct row *row, size_t index, int is_highest, uint32_t rank)
{
	const struct marks_series *series = row->ingest->merge.marks.all[index];
	const struct marks_value *value =
		is_highest ? &series->highest[rank] : &series->lowest[rank];
	struct split_values split = split_of_value(row, series, value);

	row_add(row, row->ids->series + (int64_t)index, is_highest, rank + 1,
		row->ids->process + value->process, row_lane(row, value->lane),
		value->mark.index + 1, time_ns(row->ingest, series, &value->mark),
		plain(row->ingest, series, value->mark.value), value->mark.live_bytes,
		split.cpu, split.ready, split.blocked);
}

static void add_extremes(struct row *row)
{
	const struct marks *marks = &row->ingest->merge.marks;

	for (size_t i = 0; i < marks->count; i++) {
		for (uint32_t rank = 0; rank < marks->all[i]->highest_count; rank++)
			add_extreme(row, i, 1, rank);
		for (uint32_t rank = 0; rank < marks->all[i]->lowest_count; rank++)
			add_extreme(row, i, 0, rank);
	}
}

static void add_series_spans(struct row *row, size_t index)
{
	const struct marks_series *series = row->ingest->merge.marks.all[index];

	for (size_t i = 0; i < series->span_count; i++) {
		const struct segment_series_span *from = &series->spans[i];
		struct split_values split = split_of_sum(
			row, series, from->sum, from->ready_ns, from->blocked_ns);

		row_add(row, row->ids->series + (int64_t)index, i + 1,
			row_time_ns(row, from->first_ticks),
			row_time_ns(row, from->last_ticks), from->count,
			plain(row->ingest, series, from->sum), from->live_bytes,
			split.cpu, split.ready, split.blocked);
	}
}

static void add_spans(struct row *row)
{
	for (size_t i = 0; i < row->ingest->merge.marks.count; i++)
		add_series_spans(row, i);
}

static void add_value(struct row *row, const struct marks_series *series,
		      const struct marks_value *value)
{
	double number = plain(row->ingest, series, value->mark.value);
	int64_t process = row->ids->process + series->process;
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

static void add_values_of_kind(struct row *row, enum segment_series_kind kind)
{
	const struct marks *marks = &row->ingest->merge.marks;

	for (size_t i = 0; i < marks->count; i++)
		if (marks->all[i]->kind == kind && marks->all[i]->process != MARKS_ALL)
			add_values(row, marks->all[i]);
}

static void add_steps(struct row *row)
{
	add_values_of_kind(row, SEGMENT_SERIES_STEP);
}

static void add_counters(struct row *row)
{
	add_values_of_kind(row, SEGMENT_SERIES_COUNTER);
}

/* Adds a wait. rank 0: of all steps. */
static void add_wait(struct row *row, size_t index, uint32_t rank,
		     const struct marks_wait *wait)
{
	row_add(row, row->ids->series + (int64_t)index, rank,
		store_path_id(row->ids, wait->path), wait->ready_ns, wait->blocked_ns);
}

static void add_waits(struct row *row)
{
	const struct marks *marks = &row->ingest->merge.marks;

	for (size_t i = 0; i < marks->count; i++) {
		const struct marks_series *series = marks->all[i];

		for (size_t j = 0; j < series->wait_count; j++)
			add_wait(row, i, 0, &series->waits[j]);
		for (uint32_t rank = 0; rank < series->highest_count; rank++) {
			size_t first = series->highest[rank].waits; /* 0: none */
			const struct marks_wait *waits = marks->waits;

			for (uint32_t j = 0; first && j < SEGMENT_STEP_WAITS; j++)
				if (waits[first + j].path)
					add_wait(row, i, rank + 1, &waits[first + j]);
		}
	}
}

const struct row_table store_mark_tables[] = {
	{"series", add_series, NULL},
	{"series_extreme", add_extremes, NULL},
	{"series_span", add_spans, NULL},
	{"series_wait", add_waits, NULL},
	{"step", add_steps, NULL},
	{"counter", add_counters, NULL},
	{NULL},
};
