/* SPDX-License-Identifier: MIT */
/* The columns that functions and paths have alike. Must not know which of them it is. */
#pragma once

#include "analyzer/live/screen.h"

enum rate_column {
	RATE_CPU,
	RATE_CPU_ERROR,
	RATE_CALLS,
	RATE_MEAN,
	RATE_MEAN_ERROR,
	RATE_MAX,
	RATE_TOTAL,
	RATE_READY,
	RATE_BLOCKED,
	RATE_ALLOCS,
	RATE_NUMBERS /* the first column of texts */
};

/* clang-format off */
#define RATE_COLUMNS                                                                     \
	{"self_cpu_per_s_ns", "CPU/s", COLUMN_NSEC, COLUMN_KEEP},                         \
	{"self_cpu_per_s_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},                   \
	{"calls_per_s", "calls/s", COLUMN_COUNT, 0},                                      \
	{"mean_ns", "mean", COLUMN_NSEC, 0},                                              \
	{"mean_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},                             \
	{"max_ns", "max", COLUMN_NSEC, 0},                                                \
	{"total_per_s_ns", "total/s", COLUMN_NSEC, 0},                                    \
	{"self_ready_per_s_ns", "ready/s", COLUMN_NSEC, 0},                               \
	{"self_blocked_per_s_ns", "blocked/s", COLUMN_NSEC, 0},                           \
	{"allocs_per_s", "allocs/s", COLUMN_COUNT, 0}
/* clang-format on */

double rate_column(const struct rates *rates, const struct rate *rate, size_t column);
/* Did something happen in itself? */
bool rate_is_shown(const struct rate *rate);
/* "", or that calls were only counted. */
const char *rate_recording(const struct live *live, uint32_t function);
