/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the fallback clock for machines whose TSC the kernel does not trust.
 * Runs on:       traced threads, any context (clock_gettime is async-signal-safe).
 * Must not:      change errno: the vDSO does not fail for CLOCK_MONOTONIC.
 * See also:      shim/hot/clock.h
 */
#include "shim/hot/clock.h"

int clock_is_tsc;

uint64_t clock_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
