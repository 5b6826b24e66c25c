/* SPDX-License-Identifier: MIT */
/* The screen of call paths: each with what it did itself, and below. */
#include "analyzer/live/screens/rate_columns.h"

enum { RECORDING = RATE_NUMBERS, CHAIN };

static const struct column columns[] = {
	RATE_COLUMNS,
	{"recording", "recorded", COLUMN_TEXT, 0},
	{"path", "path", COLUMN_CHAIN, COLUMN_KEEP},
};

static size_t count(const struct live *live)
{
	return live->rates.path_count;
}

static uint32_t function_of(const struct live *live, uint32_t row)
{
	return live->follow->path_rows[row].function;
}

static double gained(const struct live *live, uint32_t row,
		     enum follow_path_number number)
{
	return (double)ledger_get(&live->follow->paths, row, number, live->since);
}

static bool is_shown(const struct live *live, uint32_t row)
{
	const struct rates *rates = &live->rates;
	struct rate rate;

	if (!rates->is_used[row] || !rates->is_below[row] ||
	    !live->is_match[function_of(live, row)])
		return false;
	if (rates->times[row].cpu_ns > 0 || gained(live, row, FOLLOW_CALLS) > 0)
		return true;
	rate = rates_of_path(rates, live->follow, row);
	return rate_is_shown(&rate);
}

/* Thousands of rows are asked for what they are sorted by: without making the whole. */
static double number(const struct live *live, uint32_t row, size_t column)
{
	const struct rates *rates = &live->rates;
	struct rate rate;

	if (rates->span_s > 0 && column == RATE_TOTAL)
		return rates->times[row].total_ns / rates->span_s;
	if (rates->span_s > 0 && !rates->moved_count && column == RATE_CALLS)
		return gained(live, row, FOLLOW_CALLS) / rates->span_s;
	if (rates->span_s > 0 && column == RATE_CPU)
		return rates->times[row].cpu_ns / rates->span_s;
	rate = rates_of_path(rates, live->follow, row);
	return rate_column(rates, &rate, column);
}

static void put_texts(const struct live *live, uint32_t row, struct table *table,
		      struct cell *cells)
{
	struct strbuf chain = {0};

	live_chain(live, row, &chain);
	cells[RECORDING] =
		table_text(table, rate_recording(live, function_of(live, row)));
	cells[CHAIN] = table_text(table, strbuf_text(&chain));
	strbuf_free(&chain);
}

static uint32_t path(const struct live *live, uint32_t row)
{
	(void)live;
	return row;
}

const struct screen screen_paths = {
	.name = "path",
	.title = "Call paths",
	.key = 'p',
	.has_rates = true,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.sort = RATE_CPU,
	.count = count,
	.is_shown = is_shown,
	.number = number,
	.put_texts = put_texts,
	.path = path,
};
