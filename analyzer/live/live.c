/* SPDX-License-Identifier: MIT */
/* The state of a live view, and the queries on its tables. */
#include "analyzer/live/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/table.h"
#include "collector/processes/liveness.h"
#include "common/base/xalloc.h"

#include "live.sql.h"

/* Longest chain of names; the outermost are left out beyond it. */
#define CHAIN_MOST 256u

void live_init(struct live *live, struct source *source, const struct screen *screen)
{
	ended_by(strbuf_free) struct strbuf error = {0};

	*live = (struct live){
		.source = *source, .screen = screen, .sort = -1, .pool = name_pool_new()};
	*source = (struct source){.rundir = RUNDIR_NONE};
	ARRAY_ADD(live->paths, live->path_count) = (struct live_path){.parent = 0};
	/* out of memory, or the tables are wrong: our own fault */
	if (rundb_open_memory("top", &live->db, &error) < 0 ||
	    rundb_execute(live->db, live_sql_tables) < 0)
		abort();
}

void live_done(struct live *live)
{
	for (size_t i = 0; i < live->functions.count; i++)
		free(live->names[i]);
	free(live->names);
	free(live->function_looks);
	free(live->paths);
	free(live->facts.program);
	map_done(&live->path_map);
	intern_free(&live->functions);
	name_pool_free(live->pool);
	rundb_close(live->db);
	source_close(&live->source);
}

void live_follow(struct live *live, struct source *source)
{
	ended_by(live_done) struct live old = *live;

	live_init(live, source, old.screen);
	live->sort = old.sort;
	live->window_ns = old.window_ns;
	live->is_reversed = old.is_reversed;
	memcpy(live->filter, old.filter, sizeof(live->filter));
}

bool live_goes_on(const struct live *live)
{
	if (live->source.pid)
		return source_lives(&live->source);
	return live->facts.first_pid && liveness_check(live->facts.first_pid, 0);
}

void live_set_zero(struct live *live)
{
	live->zero = live->look;
	live->zero_ns = live->now_ns;
	live->is_since_zero = true;
}

double live_span_s(const struct live *live)
{
	uint64_t from_ns = live->is_since_zero ? live->zero_ns : live->last_ns;

	return from_ns ? (double)(live->now_ns - from_ns) / 1e9 : 0;
}

struct cursor *live_query(const struct live *live, const char *sql)
{
	struct cursor *cursor = rundb_query(live->db, sql);
	double span_s = live_span_s(live);

	cursor_bind_integer(cursor, ":now", live->look);
	cursor_bind_integer(cursor, ":last", live->last);
	cursor_bind_integer(cursor, ":zero", live->zero);
	cursor_bind_integer(cursor, ":since",
			    live->is_since_zero ? live->zero : live->last);
	if (span_s > 0)
		cursor_bind_real(cursor, ":span", span_s);
	cursor_bind_integer(cursor, ":zoom", live->zoom);
	cursor_bind_text(cursor, ":filter", live->filter);
	return cursor;
}

struct live_totals live_totals(const struct live *live)
{
	struct cursor *cursor = live_query(live, live_sql_totals);
	double span_s = live_span_s(live), per_s = span_s > 0 ? 1 / span_s : 0;
	struct live_totals ret = {.span_s = span_s};

	if (cursor_next(cursor) > 0) {
		ret.thread_count = (size_t)cursor_integer(cursor, "thread_count");
		ret.computing = fmax(0, cursor_real(cursor, "cpu_ns")) / 1e9 * per_s;
		ret.ready = fmax(0, cursor_real(cursor, "ready_ns")) / 1e9 * per_s;
		ret.calls_per_s = fmax(0, cursor_real(cursor, "calls")) * per_s;
		ret.allocs_per_s = fmax(0, cursor_real(cursor, "alloc_count")) * per_s;
		ret.alloc_bytes_per_s =
			fmax(0, cursor_real(cursor, "alloc_bytes")) * per_s;
	}
	cursor_close(cursor);
	return ret;
}

void live_chain(const struct live *live, uint32_t path, struct strbuf *ret)
{
	uint32_t chain[CHAIN_MOST], count = 0;

	for (uint32_t at = path; at && count < CHAIN_MOST; at = live->paths[at].parent) {
		chain[count++] = at;
		if (at == live->zoom)
			break;
	}
	while (count) {
		strbuf_puts(ret, live->names[live->paths[chain[--count]].function]);
		if (count)
			strbuf_putc(ret, TABLE_CHAIN_END);
	}
}
