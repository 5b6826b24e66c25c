/* SPDX-License-Identifier: MIT */
/*
 * Limits of time and memory for queries. Runs on: prof-analyze, main thread, inside
 * SQLite's evaluation. Must not count time that others use.
 */
#include "analyzer/rundb/limits.h"

#include "analyzer/rundb/private.h"

#include <time.h>

#define STEPS_BETWEEN_LOOKS 20000
/* Preparing a statement is not counted in steps, and views of views can grow without end:
 * only memory bounds them. */
#define PREPARE_BYTES (128ll << 20)

static struct limits limits = {LIMITS_CPU_MS, LIMITS_QUERY_CPU_MS, LIMITS_MEMORY_BYTES};

void limits_set(const struct limits *new_limits)
{
	limits = *new_limits;
	sqlite3_hard_heap_limit64(limits.memory_bytes);
}

int64_t limits_memory_bytes(void)
{
	return limits.memory_bytes;
}

static uint64_t cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int look(void *context)
{
	struct rundb *db = context;

	if (!db->cpu_end_ms || cpu_ms() < db->cpu_end_ms)
		return 0;
	db->is_out_of_time = true;
	return 1;
}

void limits_start(struct rundb *db, bool is_foreign)
{
	unsigned allowed_ms = is_foreign ? limits.query_cpu_ms : limits.cpu_ms;

	db->cpu_end_ms = allowed_ms ? cpu_ms() + allowed_ms : 0;
	db->allowed_ms = allowed_ms;
	db->is_out_of_time = false;
}

void limits_apply(struct rundb *db)
{
	sqlite3_progress_handler(db->handle, STEPS_BETWEEN_LOOKS, look, db);
	sqlite3_hard_heap_limit64(limits.memory_bytes);
	if (limits.memory_bytes) /* otherwise big sorts go to files without a limit */
		sqlite3_exec(db->handle, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
}

void limits_prepare(bool begins)
{
	int64_t most = sqlite3_memory_used() + PREPARE_BYTES;

	if (!limits.memory_bytes)
		return;
	sqlite3_hard_heap_limit64(
		begins && most < limits.memory_bytes ? most : limits.memory_bytes);
}

bool limits_explain(const struct rundb *db, int code, struct strbuf *text)
{
	if (db->is_out_of_time)
		strbuf_printf(text, "took more than %g s of processor time",
			      db->allowed_ms / 1000.0);
	else if ((code & 0xff) == SQLITE_NOMEM)
		strbuf_printf(text, "needs more than %lld MiB of memory",
			      (long long)(limits.memory_bytes >> 20));
	else
		return false;
	strbuf_puts(text, "; --no-limits lets it go on");
	return true;
}
