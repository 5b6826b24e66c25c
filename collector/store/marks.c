/* SPDX-License-Identifier: MIT */
/* The rows of steps and counters. */
#include <sqlite3.h>

#include "collector/merge/waits.h"
#include "collector/store/ids.h"
#include "collector/store/row.h"

static int is_step(const struct marks_series *series)
{
	return series->kind == SEGMENT_SERIES_STEP;
}

/* Durations become ns. */
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

/* cpu_ns, ready_ns and blocked_ns of a duration; NULL where it is not known. */
static void bind_split(struct row *row, int is_known, int64_t duration_ns,
		       uint64_t ready_count, uint64_t blocked_count)
{
	int64_t blocked_ns = quantity_of_count(blocked_count);
	int64_t ready_ns = quantity_of_count(ready_count);

	if (!is_known) {
		for (int i = 0; i < 3; i++)
			row_null(row);
		return;
	}
	if (blocked_ns > duration_ns)
		blocked_ns = duration_ns;
	if (ready_ns > duration_ns - blocked_ns)
		ready_ns = duration_ns - blocked_ns;
	row_int(row, duration_ns - ready_ns - blocked_ns);
	row_int(row, ready_ns);
	row_int(row, blocked_ns);
}

static void bind_value_split(struct row *row, const struct ingest *ingest,
			     const struct marks_series *series,
			     const struct marks_value *value)
{
	bind_split(row,
		   is_step(series) &&
			   waits_are_seen(&ingest->run.processes[value->process]),
		   (int64_t)plain(ingest, series, value->mark.value),
		   value->mark.ready_ns, value->mark.blocked_ns);
}

static void bind_process(struct row *row, const struct store_ids *ids, uint32_t process)
{
	if (process == MARKS_ALL)
		row_null(row);
	else
		row_int(row, ids->process + process);
}

static void bind_values(struct row *row, const struct ingest *ingest,
			const struct marks_series *series)
{
	static const double fractions[] = {0.50, 0.90, 0.95, 0.99};

	if (!series->lowest_count || !series->highest_count) {
		for (int i = 0; i < 7; i++)
			row_null(row);
		return;
	}
	row_real(row, plain(ingest, series, series->sum / (double)series->value_count));
	row_real(row, plain(ingest, series, series->lowest[0].mark.value));
	for (size_t i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++)
		row_real(row,
			 plain(ingest, series, marks_percentile(series, fractions[i])));
	row_real(row, plain(ingest, series, series->highest[0].mark.value));
}

static int insert_series(struct store *store, const struct ingest *ingest,
			 const struct store_ids *ids)
{
	const struct marks *marks = &ingest->merge.marks;
	struct row row;

	row_open(&row, store, "series",
		 "series_id, run_id, process_id, kind, name, mark_count, value_count, "
		 "sum, mean, min, p50, p90, p95, p99, max, first_ns, last_ns, "
		 "growth_bytes, cpu_ns, ready_ns, blocked_ns");
	for (size_t i = 0; i < marks->count; i++) {
		const struct marks_series *series = marks->all[i];

		row_int(&row, ids->series + (int64_t)i);
		row_int(&row, ids->run);
		bind_process(&row, ids, series->process);
		row_int(&row, series->kind);
		row_text(&row, series->name);
		row_count(&row, series->count);
		row_count(&row, series->value_count);
		row_real(&row, plain(ingest, series, series->sum));
		bind_values(&row, ingest, series);
		row_int(&row, ticks_since_start_ns(&ingest->ticks, series->first_ticks));
		row_int(&row, ticks_since_start_ns(&ingest->ticks, series->last_ticks));
		row_int(&row, series->growth_bytes);
		bind_split(&row, is_step(series) && !series->is_unsplit,
			   (int64_t)plain(ingest, series, series->sum), series->ready_ns,
			   series->blocked_ns);
		row_next(&row);
	}
	return row_close(&row);
}

static void extreme_row(struct row *row, const struct ingest *ingest,
			const struct store_ids *ids, size_t index, int is_highest,
			uint32_t rank)
{
	const struct marks_series *series = ingest->merge.marks.all[index];
	const struct marks_value *value =
		is_highest ? &series->highest[rank] : &series->lowest[rank];

	row_int(row, ids->series + (int64_t)index);
	row_int(row, is_highest);
	row_int(row, rank + 1);
	row_int(row, ids->process + value->process);
	row_int(row, store_lane_id(ids, ingest, value->lane));
	row_count(row, value->mark.index + 1);
	row_int(row, time_ns(ingest, series, &value->mark));
	row_real(row, plain(ingest, series, value->mark.value));
	row_int(row, value->mark.live_bytes);
	bind_value_split(row, ingest, series, value);
	row_next(row);
}

static int insert_extremes(struct store *store, const struct ingest *ingest,
			   const struct store_ids *ids)
{
	const struct marks *marks = &ingest->merge.marks;
	struct row row;

	row_open(&row, store, "series_extreme",
		 "series_id, is_highest, rank, process_id, lane_id, number, time_ns, "
		 "value, live_bytes, cpu_ns, ready_ns, blocked_ns");
	for (size_t i = 0; i < marks->count; i++) {
		for (uint32_t rank = 0; rank < marks->all[i]->highest_count; rank++)
			extreme_row(&row, ingest, ids, i, 1, rank);
		for (uint32_t rank = 0; rank < marks->all[i]->lowest_count; rank++)
			extreme_row(&row, ingest, ids, i, 0, rank);
	}
	return row_close(&row);
}

static int insert_spans(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	const struct marks *marks = &ingest->merge.marks;
	struct row row;

	row_open(&row, store, "series_span",
		 "series_id, number, first_ns, last_ns, value_count, sum, live_bytes, "
		 "cpu_ns, ready_ns, blocked_ns");
	for (size_t i = 0; i < marks->count; i++) {
		const struct marks_series *series = marks->all[i];

		for (size_t span = 0; span < series->span_count; span++) {
			const struct segment_series_span *from = &series->spans[span];

			row_int(&row, ids->series + (int64_t)i);
			row_int(&row, (int64_t)span + 1);
			row_int(&row,
				ticks_since_start_ns(&ingest->ticks, from->first_ticks));
			row_int(&row,
				ticks_since_start_ns(&ingest->ticks, from->last_ticks));
			row_count(&row, from->count);
			row_real(&row, plain(ingest, series, from->sum));
			row_int(&row, from->live_bytes);
			bind_split(&row, is_step(series) && !series->is_unsplit,
				   (int64_t)plain(ingest, series, from->sum),
				   from->ready_ns, from->blocked_ns);
			row_next(&row);
		}
	}
	return row_close(&row);
}

static void value_row(struct row *row, const struct ingest *ingest,
		      const struct store_ids *ids, const struct marks_series *series,
		      const struct marks_value *value)
{
	double plain_value = plain(ingest, series, value->mark.value);

	row_int(row, ids->run);
	row_int(row, ids->process + series->process);
	row_text(row, series->name);
	row_count(row, value->mark.index + 1);
	row_int(row, time_ns(ingest, series, &value->mark));
	if (is_step(series))
		row_int(row, (int64_t)plain_value);
	else
		row_real(row, plain_value);
	row_int(row, store_lane_id(ids, ingest, value->lane));
	row_int(row, value->mark.live_bytes);
	if (is_step(series))
		bind_value_split(row, ingest, series, value);
	row_next(row);
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
static void value_rows(struct row *row, const struct ingest *ingest,
		       const struct store_ids *ids, const struct marks_series *series)
{
	for (size_t i = 0; i < series->latest_count; i++)
		value_row(row, ingest, ids, series, &series->latest[i]);
	for (uint32_t i = 0; i < series->highest_count; i++) {
		if (!is_among(&series->highest[i], series->latest, series->latest_count))
			value_row(row, ingest, ids, series, &series->highest[i]);
	}
	for (uint32_t i = 0; i < series->lowest_count; i++) {
		if (!is_among(&series->lowest[i], series->latest, series->latest_count) &&
		    !is_among(&series->lowest[i], series->highest, series->highest_count))
			value_row(row, ingest, ids, series, &series->lowest[i]);
	}
}

static int insert_values(struct store *store, const struct ingest *ingest,
			 const struct store_ids *ids, enum segment_series_kind kind)
{
	const struct marks *marks = &ingest->merge.marks;
	struct row row;

	if (kind == SEGMENT_SERIES_STEP)
		row_open(&row, store, "step",
			 "run_id, process_id, name, step_index, started_ns, duration_ns, "
			 "lane_id, live_bytes, cpu_ns, ready_ns, blocked_ns");
	else
		row_open(&row, store, "counter",
			 "run_id, process_id, name, counter_index, time_ns, value, "
			 "lane_id, live_bytes");
	for (size_t i = 0; i < marks->count; i++) {
		if (marks->all[i]->kind == kind && marks->all[i]->process != MARKS_ALL)
			value_rows(&row, ingest, ids, marks->all[i]);
	}
	return row_close(&row);
}

/* rank 0: of all steps. */
static void wait_row(struct row *row, const struct store_ids *ids, size_t index,
		     uint32_t rank, const struct marks_wait *wait)
{
	row_int(row, ids->series + (int64_t)index);
	row_int(row, rank);
	row_int(row, store_path_id(ids, wait->path));
	row_count(row, wait->ready_ns);
	row_count(row, wait->blocked_ns);
	row_next(row);
}

static int insert_waits(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	const struct marks *marks = &ingest->merge.marks;
	struct row row;

	row_open(&row, store, "series_wait",
		 "series_id, rank, path_id, ready_ns, blocked_ns");
	for (size_t i = 0; i < marks->count; i++) {
		const struct marks_series *series = marks->all[i];

		for (size_t j = 0; j < series->wait_count; j++)
			wait_row(&row, ids, i, 0, &series->waits[j]);
		for (uint32_t rank = 0; rank < series->highest_count; rank++) {
			size_t first = series->highest[rank].waits; /* 0: none */
			const struct marks_wait *waits = marks->waits;

			for (uint32_t j = 0; first && j < SEGMENT_STEP_WAITS; j++)
				if (waits[first + j].path)
					wait_row(&row, ids, i, rank + 1,
						 &waits[first + j]);
		}
	}
	return row_close(&row);
}

int store_mark_rows(struct store *store, const struct ingest *ingest,
		    const struct store_ids *ids)
{
	int code = insert_series(store, ingest, ids);

	if (code == SQLITE_OK)
		code = insert_extremes(store, ingest, ids);
	if (code == SQLITE_OK)
		code = insert_spans(store, ingest, ids);
	if (code == SQLITE_OK)
		code = insert_waits(store, ingest, ids);
	if (code == SQLITE_OK)
		code = insert_values(store, ingest, ids, SEGMENT_SERIES_STEP);
	return code == SQLITE_OK
		       ? insert_values(store, ingest, ids, SEGMENT_SERIES_COUNTER)
		       : code;
}
