/* SPDX-License-Identifier: MIT */
/*
 * The run's clock, in ticks. Must not serialise the pipeline: rdtscp and lfence cost 10
 * to 20 ns more per hook pair, the few cycles of reordering are inside the hook anyway.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "common/attributes.h"

/* The hooks read the TSC. Set before the first lane exists; cleared when a thread forbids
 * itself the TSC. */
extern hidden int clock_is_tsc;

/* Ticks are those of the TSC, even for threads that may not read it. Set once, with
 * clock_is_tsc. */
extern hidden int clock_has_tsc_ticks;

/* An exit hook may read the TSC before it looks at anything else. Not with another clock,
 * nor where counted calls come to the hooks. */
extern hidden uint32_t clock_comes_first;

/* An entry hook may read the TSC as soon as the front table has a node. Not with another
 * clock, nor when functions are not in that table (shim/lane/ways.h). */
extern hidden uint32_t clock_comes_at_entry;

static inline uint64_t clock_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

uint64_t clock_monotonic(void);

/* A clock of the kernel's, in ns, by a system call: the gate is entered. UINT64_MAX: it
 * is not to be had. */
uint64_t clock_ask(clockid_t clock);

/* Now, in ticks, by the clock that the calling thread may read. */
uint64_t clock_read_slowly(void);

/* Both clocks at one moment. Any context. */
void clock_read_both(uint64_t *ret_ticks, uint64_t *ret_monotonic_ns);

/* Now, in ticks. Any context. */
static inline uint64_t clock_now(void)
{
	return likely(clock_is_tsc) ? clock_tsc() : clock_read_slowly();
}

/* The same once all earlier loads are complete, so that the time of their cache misses is
 * included. Slow paths only. */
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
 * The calling thread is about to forbid itself the TSC, which the vDSO's clocks need,
 * too: by PR_TSC_SIGSEGV, which its threads and children inherit, or by strict mode,
 * which also forbids all other calls (with_calls). From then on this thread asks the
 * kernel, or time stands still for it; other threads read the TSC as before, by a slower
 * path. begin and ticks_per_second convert between the clocks. Returns what clock_allow()
 * needs if the program's call fails.
 */
int clock_forbid(int with_calls, const struct clock_pair *begin, double ticks_per_second);
void clock_allow(int access);

/* The program may have allowed it again: asks the kernel. */
void clock_ask_again(void);
