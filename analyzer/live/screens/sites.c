/* SPDX-License-Identifier: MIT */
/* The screen of allocation sites. */
#include "analyzer/live/screen.h"

enum { BYTES, ALLOCS, GROWTH, LIVE_BYTES, LIVE, PLACE, CHAIN };

static const struct column columns[] = {
	{"bytes_per_s", "bytes/s", COLUMN_BYTES, COLUMN_KEEP},
	{"allocs_per_s", "allocs/s", COLUMN_COUNT, 0},
	{"growth_bytes", "growth", COLUMN_BYTES_CHANGE, 0},
	{"live_bytes", "live", COLUMN_BYTES, COLUMN_KEEP},
	{"live_count", "blocks", COLUMN_COUNT, 0},
	{"file", "line", COLUMN_LOCATION, 0},
	{"path", "path", COLUMN_CHAIN, COLUMN_KEEP},
};

static size_t count(const struct live *live)
{
	return live->follow->sites.count;
}

static uint32_t path(const struct live *live, uint32_t row)
{
	return live->follow->site_rows[row].path;
}

static double gained(const struct live *live, uint32_t row, size_t column)
{
	return (double)ledger_get(&live->follow->sites, row, column, live->since);
}

static double all(const struct live *live, uint32_t row, size_t column)
{
	return (double)ledger_get(&live->follow->sites, row, column, LEDGER_ALL);
}

static bool is_shown(const struct live *live, uint32_t row)
{
	const struct follow_site *site = &live->follow->site_rows[row];

	return live->rates.is_below[site->path] &&
	       (live->is_match[live->follow->path_rows[site->path].function] ||
		(site->file && live_matches(live, site->file))) &&
	       (all(live, row, FOLLOW_SITE_ALLOCS) > all(live, row, FOLLOW_SITE_FREES) ||
		gained(live, row, FOLLOW_SITE_ALLOCS) > 0);
}

static double number(const struct live *live, uint32_t row, size_t column)
{
	double span_s = live->rates.span_s;

	switch (column) {
	case BYTES:
		return span_s > 0 ? gained(live, row, FOLLOW_SITE_BYTES) / span_s : 0;
	case ALLOCS:
		return span_s > 0 ? gained(live, row, FOLLOW_SITE_ALLOCS) / span_s : 0;
	case GROWTH:
		return gained(live, row, FOLLOW_SITE_BYTES) -
		       gained(live, row, FOLLOW_SITE_FREED_BYTES);
	case LIVE_BYTES:
		return all(live, row, FOLLOW_SITE_BYTES) -
		       all(live, row, FOLLOW_SITE_FREED_BYTES);
	default:
		return all(live, row, FOLLOW_SITE_ALLOCS) -
		       all(live, row, FOLLOW_SITE_FREES);
	}
}

static void put_texts(const struct live *live, uint32_t row, struct table *table,
		      struct cell *cells)
{
	const struct follow_site *site = &live->follow->site_rows[row];
	struct strbuf chain = {0};

	live_chain(live, site->path, &chain);
	cells[PLACE] = table_text(table, site->file);
	cells[PLACE].line = site->line;
	cells[CHAIN] = table_text(table, strbuf_text(&chain));
	strbuf_free(&chain);
}

const struct screen screen_sites = {
	.name = "site",
	.title = "Allocation sites",
	.key = 'a',
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.sort = BYTES,
	.count = count,
	.is_shown = is_shown,
	.number = number,
	.put_texts = put_texts,
	.path = path,
};
