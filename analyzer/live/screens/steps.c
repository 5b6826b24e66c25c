/* SPDX-License-Identifier: MIT */
/* The screen of steps and counters that the program marks. */
#include "analyzer/live/screen.h"

#include <math.h>

#include "common/segment_series.h"
#include "analyzer/model/units.h"

enum { MARKS, MEAN, LAST, KIND, NAME };

static const struct column columns[] = {
	{"marks_per_s", "marks/s", COLUMN_ANY, COLUMN_KEEP},
	{"mean_ns", "mean", COLUMN_NSEC, 0},
	{"last", "last", COLUMN_TEXT, 0},
	{"kind", "kind", COLUMN_TEXT, 0},
	{"name", "name", COLUMN_TEXT, COLUMN_KEEP},
};

static size_t count(const struct live *live)
{
	return live->follow->series.count;
}

static bool is_shown(const struct live *live, uint32_t row)
{
	return live_matches(live, live->follow->series_rows[row].name);
}

static double number(const struct live *live, uint32_t row, size_t column)
{
	const struct ledger *ledger = &live->follow->series;
	double values;

	if (column == MARKS)
		return live->rates.span_s > 0
			       ? (double)ledger_get(ledger, row, FOLLOW_SERIES_MARKS,
						    live->since) /
					 live->rates.span_s
			       : 0;
	values = (double)ledger_get(ledger, row, FOLLOW_SERIES_VALUES, live->since);
	if (live->follow->series_rows[row].kind != SEGMENT_SERIES_STEP || !(values > 0))
		return NAN;
	return (double)ledger_get(ledger, row, FOLLOW_SERIES_TICKS, live->since) *
	       live->follow->ticks.ns_per_tick / values;
}

static void put_texts(const struct live *live, uint32_t row, struct table *table,
		      struct cell *cells)
{
	const struct follow_series *series = &live->follow->series_rows[row];
	struct strbuf last = {0};

	if (series->kind == SEGMENT_SERIES_STEP)
		units_nsec(&last, whole_number(series->last_value *
					       live->follow->ticks.ns_per_tick));
	else
		units_real(&last, series->last_value);
	cells[LAST] = table_text(table, strbuf_text(&last));
	cells[KIND] = table_text(table, series->kind == SEGMENT_SERIES_STEP ? "step"
									    : "counter");
	cells[NAME] = table_text(table, series->name);
	strbuf_free(&last);
}

static uint32_t path(const struct live *live, uint32_t row)
{
	(void)live;
	(void)row;
	return 0;
}

const struct screen screen_steps = {
	.name = "step",
	.title = "Steps and counters",
	.key = 's',
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.sort = MARKS,
	.count = count,
	.is_shown = is_shown,
	.number = number,
	.put_texts = put_texts,
	.path = path,
};
