/* SPDX-License-Identifier: MIT */
/* The screen of what is read and written: by call path and target. */
#include "analyzer/live/screen.h"

enum { READ, WRITTEN, CALLS, TIME, TARGET, CHAIN };

static const struct column columns[] = {
	{"read_bytes_per_s", "read/s", COLUMN_BYTES, COLUMN_KEEP},
	{"written_bytes_per_s", "written/s", COLUMN_BYTES, COLUMN_KEEP},
	{"calls_per_s", "calls/s", COLUMN_COUNT, 0},
	{"total_per_s_ns", "time/s", COLUMN_NSEC, 0},
	{"target", "what", COLUMN_FILE, 0},
	{"path", "path", COLUMN_CHAIN, COLUMN_KEEP},
};

static size_t count(const struct live *live)
{
	return live->follow->transfers.count;
}

static uint32_t path(const struct live *live, uint32_t row)
{
	return live->follow->transfer_rows[row].path;
}

static const char *target(const struct live *live, uint32_t row)
{
	uint32_t number = live->follow->transfer_rows[row].target;

	return live->follow->transfers_of.targets[number].name;
}

static double gained(const struct live *live, uint32_t row, size_t column)
{
	return (double)ledger_get(&live->follow->transfers, row, column, live->since);
}

static bool is_shown(const struct live *live, uint32_t row)
{
	uint32_t at = path(live, row);

	return live->rates.is_below[at] && gained(live, row, FOLLOW_TRANSFER_CALLS) > 0 &&
	       (live->is_match[live->follow->path_rows[at].function] ||
		live_matches(live, target(live, row)));
}

static double number(const struct live *live, uint32_t row, size_t column)
{
	double span_s = live->rates.span_s;

	if (!(span_s > 0))
		return 0;
	switch (column) {
	case READ:
		return gained(live, row, FOLLOW_TRANSFER_READ_BYTES) / span_s;
	case WRITTEN:
		return gained(live, row, FOLLOW_TRANSFER_WRITTEN_BYTES) / span_s;
	case CALLS:
		return gained(live, row, FOLLOW_TRANSFER_CALLS) / span_s;
	default:
		return gained(live, row, FOLLOW_TRANSFER_TICKS) *
		       live->follow->ticks.ns_per_tick / span_s;
	}
}

static void put_texts(const struct live *live, uint32_t row, struct table *table,
		      struct cell *cells)
{
	struct strbuf chain = {0};

	live_chain(live, path(live, row), &chain);
	cells[TARGET] = table_text(table, target(live, row));
	cells[CHAIN] = table_text(table, strbuf_text(&chain));
	strbuf_free(&chain);
}

const struct screen screen_io = {
	.name = "io",
	.title = "Reading and writing",
	.key = 'i',
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.sort = CALLS,
	.count = count,
	.is_shown = is_shown,
	.number = number,
	.put_texts = put_texts,
	.path = path,
};
