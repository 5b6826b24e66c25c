/* SPDX-License-Identifier: MIT */
/*
 * How much time and memory a recording may cost who reads it: it may have been made to
 * cost without end, and so may a query be by mistake. Must not show sqlite3.h to its
 * users.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* For queries of ours over a file; the user's own queries have less time. */
#define LIMITS_CPU_MS 120000u
#define LIMITS_QUERY_CPU_MS 30000u
#define LIMITS_MEMORY_BYTES (1024ll << 20)

/* 0: no limit. CPU time is the process's, counted from now for each query by itself. */
struct limits {
	unsigned cpu_ms, query_cpu_ms;
	int64_t memory_bytes;
};

/* Of all databases opened from now on; memory is that of SQLite as a whole. What has been
 * set last holds; before, the three numbers above do. */
void limits_set(const struct limits *limits);
