/* SPDX-License-Identifier: MIT */
/*
 * The fallback clock for machines whose TSC the kernel does not trust, and both clocks
 * at one moment. Runs on: traced threads, any context (clock_gettime is
 * async-signal-safe). Must not change errno: the vDSO does not fail for CLOCK_MONOTONIC.
 */
#include "shim/core/clock.h"

#define TRIES 5

int clock_is_tsc asked_on_short_calls;
uint32_t clock_comes_first;

uint64_t clock_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A thread that loses its CPU between the two readings has a pair that is milliseconds
 * apart, and a millisecond here makes every time of the run wrong: on a machine with a
 * load of 13 on 2 CPUs a rate came out 1.5 times too high. So the tightest of some
 * tries. */
void clock_read_both(uint64_t *ret_ticks, uint64_t *ret_monotonic_ns)
{
	uint64_t smallest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = clock_now(), now = clock_monotonic();
		uint64_t gap = clock_now() - before;

		if (gap >= smallest)
			continue;
		smallest = gap;
		*ret_ticks = before + gap / 2;
		*ret_monotonic_ns = now;
	}
}
