/* SPDX-License-Identifier: MIT */
/*
 * The run's clock, in ticks. Must not serialise the pipeline: rdtscp and lfence cost 10
 * to 20 ns more per hook pair, the few cycles of reordering are inside the hook anyway.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "common/attributes.h"

/* The hooks read the TSC. Written before the first lane exists, and cleared when a thread
 * is forbidden to. */
extern hidden int clock_is_tsc;

/* The ticks are those of the TSC, whoever may read it. Written once, with the former. */
extern hidden int clock_has_tsc_ticks;

/* The hook of an exit may read the TSC before it looks at anything: not where it is
 * another clock, or where calls that are only counted come to the hooks. */
extern hidden uint32_t clock_comes_first;

/* The hook of an entry may read the TSC where the front table has something: not where it
 * is another clock, or where functions are not in that table (shim/lane/ways.h). */
extern hidden uint32_t clock_comes_at_entry;

static inline uint64_t clock_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

uint64_t clock_monotonic(void);

/* Now, in ticks, by the clock that the calling thread may read. */
uint64_t clock_read_slowly(void);

/* Both clocks at one moment. Any context. */
void clock_read_both(uint64_t *ret_ticks, uint64_t *ret_monotonic_ns);

/* Now, in ticks. Any context. */
static inline uint64_t clock_now(void)
{
	return likely(clock_is_tsc) ? clock_tsc() : clock_read_slowly();
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
	return clock_has_tsc_ticks ? 1ull << 28 : 100000000;
}

struct clock_pair {
	uint64_t ticks, monotonic_ns;
};

/*
 * The calling thread is about to forbid itself the TSC, by which the vDSO tells the time,
 * too: PR_TSC_SIGSEGV, which the threads and children that it makes have from it; with
 * all other calls (with_calls) in strict mode. From then on it asks the kernel, or time
 * stands still for it; other threads read the TSC as before, by a slower way. Counted
 * from what both clocks were at the begin, and the rate. Returns what clock_allow() gives
 * back when the program's call has failed.
 */
int clock_forbid(int with_calls, const struct clock_pair *begin, double ticks_per_second);
void clock_allow(int access);

/* It may have been allowed again: the kernel knows. */
void clock_ask_again(void);
