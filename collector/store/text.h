/* SPDX-License-Identifier: MIT */
/* The texts of a run's row: when, what, on which machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/read/read.h"

/* A moment as ISO 8601 in UTC with milliseconds. */
void store_utc(uint64_t realtime_ns, char *text, size_t size);

/* The process's arguments as one would type them in a shell. Owned by the caller. */
char *store_command(const struct read_process *process);

/* The model name in /proc/cpuinfo; empty when there is none. */
void store_cpu_model(char *text, size_t size);
