/* SPDX-License-Identifier: MIT */
/* The screen of functions. */
#include "analyzer/live/screens/rate_columns.h"

enum { RECORDING = RATE_NUMBERS, NAME };

static const struct column columns[] = {
	RATE_COLUMNS,
	{"recording", "recorded", COLUMN_TEXT, 0},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
};

static size_t count(const struct live *live)
{
	return live->rates.function_count;
}

static bool is_shown(const struct live *live, uint32_t row)
{
	return live->is_match[row] && rate_is_shown(&live->rates.functions[row]);
}

static double number(const struct live *live, uint32_t row, size_t column)
{
	return rate_column(&live->rates, &live->rates.functions[row], column);
}

static void put_texts(const struct live *live, uint32_t row, struct table *table,
		      struct cell *cells)
{
	cells[RECORDING] = table_text(table, rate_recording(live, row));
	cells[NAME] = table_text(table, live->names[row]);
}

/* The path on which the function takes the longest. */
static uint32_t path(const struct live *live, uint32_t row)
{
	const struct rates *rates = &live->rates;
	uint32_t best = rates->first_of[row];

	for (uint32_t at = best; at; at = rates->next_same[at])
		if (rates->is_used[at] &&
		    (!rates->is_used[best] ||
		     rates->times[at].total_ns > rates->times[best].total_ns))
			best = at;
	return best;
}

const struct screen screen_functions = {
	.name = "function",
	.title = "Functions",
	.key = 'f',
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
