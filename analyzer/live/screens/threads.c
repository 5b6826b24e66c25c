/* SPDX-License-Identifier: MIT */
/* The screen of threads: what of their time they computed, were ready or blocked, and
 * where they are now. */
#include "analyzer/live/screen.h"

#include <math.h>

enum { PID, TID, CPU, READY, BLOCKED, NAME, CHAIN };

static const struct column columns[] = {
	{"pid", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"tid", "tid", COLUMN_ID, COLUMN_KEEP},
	{"cpu_percent", "computing", COLUMN_PERCENT, COLUMN_KEEP},
	{"ready_percent", "ready", COLUMN_PERCENT, 0},
	{"blocked_percent", "blocked", COLUMN_PERCENT, 0},
	{"name", "thread", COLUMN_TEXT, 0},
	{"in", "is in", COLUMN_CHAIN, COLUMN_KEEP},
};

static size_t count(const struct live *live)
{
	return live->follow->threads.count;
}

static bool is_shown(const struct live *live, uint32_t row)
{
	const struct follow_thread *thread = &live->follow->thread_rows[row];

	return (thread->is_alive || live->follow->is_over) &&
	       (live_matches(live, thread->name) ||
		(thread->open_path &&
		 live->is_match[live->follow->path_rows[thread->open_path].function]));
}

static double number(const struct live *live, uint32_t row, size_t column)
{
	const struct follow_thread *thread = &live->follow->thread_rows[row];
	const struct ledger *ledger = &live->follow->threads;
	double wall, cpu, ready;

	if (column == PID)
		return follow_process_pid(live->follow, thread->process);
	if (column == TID)
		return thread->tid;
	wall = (double)ledger_get(ledger, row, FOLLOW_THREAD_WALL_NS, live->since);
	cpu = (double)ledger_get(ledger, row, FOLLOW_THREAD_CPU_NS, live->since);
	ready = (double)ledger_get(ledger, row, FOLLOW_THREAD_READY_NS, live->since);
	if (!thread->has_clocks || !(wall > 0))
		return NAN;
	/* the kernel tells the clock of a running thread with a delay */
	cpu = fmin(cpu, wall);
	ready = fmin(ready, wall - cpu);
	return 100 / wall *
	       (column == CPU	  ? cpu
		: column == READY ? ready
				  : wall - cpu - ready);
}

static void put_texts(const struct live *live, uint32_t row, struct table *table,
		      struct cell *cells)
{
	const struct follow_thread *thread = &live->follow->thread_rows[row];
	struct strbuf chain = {0};

	live_chain(live, thread->open_path, &chain);
	cells[NAME] = table_text(table, *thread->name ? thread->name : NULL);
	cells[CHAIN] = table_text(table, thread->open_path ? strbuf_text(&chain) : NULL);
	strbuf_free(&chain);
}

static uint32_t path(const struct live *live, uint32_t row)
{
	return live->follow->thread_rows[row].open_path;
}

const struct screen screen_threads = {
	.name = "thread",
	.title = "Threads",
	.key = 't',
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.sort = CPU,
	.count = count,
	.is_shown = is_shown,
	.number = number,
	.put_texts = put_texts,
	.path = path,
};
