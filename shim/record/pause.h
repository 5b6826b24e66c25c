/* SPDX-License-Identifier: MIT */
/*
 * Pauses of the recording: begun and ended by the program (profshim.h) or by conditions
 * (conditions.h). Runs on: traced threads, any context. In a pause calls, regions, steps
 * and counters are not recorded; functions that were open may end, at the time the pause
 * began; allocations are recorded under the region "[paused]", so that what is live
 * stays right.
 */
#pragma once

#include <stdint.h>

void pause_begin(void);
void pause_end(void);

/* An exit in a pause. */
void pause_leave(uint64_t function, uint64_t call_site, uintptr_t stack);

/* The begin of a region in a pause, and an end: 0: it was open before. */
void pause_begin_region(void);
int pause_end_region(void);
