/* SPDX-License-Identifier: MIT */
/*
 * The run's clock, in ticks. Must not serialise the pipeline: rdtscp and lfence cost 10
 * to 20 ns more per hook pair, the few cycles of reordering are inside the hook anyway.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "common/attributes.h"

/* Written once, before the first lane exists. */
extern hidden int clock_is_tsc;

/* The hook of an exit may read the TSC before it looks at anything: not where it is
 * another clock, or where calls that are only counted come to the hooks. */
extern hidden uint32_t clock_comes_first;

static inline uint64_t clock_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

uint64_t clock_monotonic(void);

/* Both clocks at one moment. Any context. */
void clock_read_both(uint64_t *ret_ticks, uint64_t *ret_monotonic_ns);

/* Now, in ticks. Any context. */
static inline uint64_t clock_now(void)
{
	return likely(clock_is_tsc) ? clock_tsc() : clock_monotonic();
}

/* The same when all that was asked for before has come: what is read behind misses of the
 * caches has their time. Slow paths only. */
static inline uint64_t clock_behind(void)
{
	__builtin_ia32_lfence();
	return clock_now();
}

/* 0.1 s or so, in ticks: 2^28 of them at 2.7 GHz. */
static inline uint64_t clock_tenth_of_second(void)
{
	return clock_is_tsc ? 1ull << 28 : 100000000;
}
