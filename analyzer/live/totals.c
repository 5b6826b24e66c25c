/* SPDX-License-Identifier: MIT */
/* Sums over threads, paths and sites. */
#include "analyzer/live/totals.h"

#include <math.h>

#include "live.sql.h"

void totals_find(struct totals *ret, const struct live *live)
{
	struct cursor *cursor = live_query(live, live_sql_totals);
	double span_s = live_span_s(live), per_s = span_s > 0 ? 1 / span_s : 0;

	*ret = (struct totals){.span_s = span_s};
	if (cursor_next(cursor) > 0) {
		ret->thread_count = (size_t)cursor_integer(cursor, "thread_count");
		ret->computing = fmax(0, cursor_real(cursor, "cpu_ns")) / 1e9 * per_s;
		ret->ready = fmax(0, cursor_real(cursor, "ready_ns")) / 1e9 * per_s;
		ret->calls_per_s = fmax(0, cursor_real(cursor, "calls")) * per_s;
		ret->allocs_per_s = fmax(0, cursor_real(cursor, "alloc_count")) * per_s;
		ret->alloc_bytes_per_s =
			fmax(0, cursor_real(cursor, "alloc_bytes")) * per_s;
	}
	cursor_close(cursor);
}
