/* SPDX-License-Identifier: MIT */
/*
 * How much time and memory reading a recording may take: the file may be made to cost
 * without end, and a query may do so by mistake. Must not show sqlite3.h to its users.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* For our queries over a file; the user's own have less time. */
#define LIMITS_CPU_MS 120000u
#define LIMITS_QUERY_CPU_MS 30000u
#define LIMITS_MEMORY_BYTES (1024ll << 20)

/* 0: no limit. CPU time is the process's, and starts anew with each query. */
struct limits {
	unsigned cpu_ms, query_cpu_ms;
	int64_t memory_bytes;
};

/* Sets the limits of databases opened from now on; memory is that of SQLite as a whole.
 * Until the first call the three numbers above apply. */
void limits_set(const struct limits *limits);
