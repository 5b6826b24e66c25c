/* SPDX-License-Identifier: MIT */
/*
 * The clocks that are not read by one instruction, and both at one moment. Runs on:
 * traced threads, any context (clock_gettime is async-signal-safe). Must not change
 * errno: the vDSO does not fail for CLOCK_MONOTONIC.
 */
#include "shim/core/clock.h"

#include <sys/prctl.h>

#include "shim/core/gate.h"
#include "shim/core/syscall.h"

#define TRIES 5

int clock_is_tsc asked_on_short_calls;
uint32_t clock_comes_at_entry asked_on_short_calls;
uint32_t clock_comes_first;
int clock_has_tsc_ticks;

/* What a thread may read. It begins as the one that made it, whom it cannot ask. */
enum access { ACCESS_UNKNOWN, ACCESS_ALL, ACCESS_CALLS, ACCESS_NONE };
static __thread enum access own_access;

/* Some thread may not read the TSC. The same moment on both clocks, and the rate: for
 * those who have but the one. Where nothing can be read time stands still. */
static struct {
	int is_restricted;
	int is_by_prctl; /* which threads pass on to those that they make */
	struct clock_pair base;
	double ticks_per_ns;
	uint64_t latest_ns;
} forbidden;

static enum access ask_access(void)
{
	int mode = 0;
	long result;

	if (!gate_enter())
		return forbidden.is_by_prctl ? ACCESS_NONE : ACCESS_ALL;
	result = SYSCALL(SYS_prctl, PR_GET_TSC, &mode, 0, 0, 0, 0);
	gate_leave();
	return result == 0 && mode == PR_TSC_SIGSEGV ? ACCESS_CALLS : ACCESS_ALL;
}

static enum access access_now(void)
{
	if (own_access == ACCESS_UNKNOWN)
		own_access = ask_access();
	return own_access;
}

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

uint64_t clock_ask(clockid_t clock)
{
	struct timespec now;

	return SYSCALL(SYS_clock_gettime, clock, &now, 0, 0, 0, 0) < 0
		       ? UINT64_MAX
		       : nanoseconds(&now);
}

/* The vDSO reads the TSC. */
static cold uint64_t monotonic_by_call(void)
{
	if (access_now() == ACCESS_CALLS && gate_enter()) {
		__atomic_store_n(&forbidden.latest_ns, clock_ask(CLOCK_MONOTONIC),
				 __ATOMIC_RELAXED);
		gate_leave();
	}
	return __atomic_load_n(&forbidden.latest_ns, __ATOMIC_RELAXED);
}

uint64_t clock_monotonic(void)
{
	struct timespec now;

	if (unlikely(forbidden.is_restricted) && access_now() != ACCESS_ALL)
		return monotonic_by_call();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return nanoseconds(&now);
}

cold uint64_t clock_read_slowly(void)
{
	uint64_t monotonic_ns;

	if (clock_has_tsc_ticks && access_now() == ACCESS_ALL)
		return clock_tsc();
	monotonic_ns = clock_monotonic();
	if (!clock_has_tsc_ticks)
		return monotonic_ns;
	return forbidden.base.ticks +
	       (uint64_t)((double)(monotonic_ns - forbidden.base.monotonic_ns) *
			  forbidden.ticks_per_ns);
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

/* Two moments too close to each other say less than what is known of the rate. */
#define PAIRS_APART_NS 10000000u

static double rate_since(const struct clock_pair *begin, double ticks_per_second)
{
	uint64_t ns = forbidden.base.monotonic_ns - begin->monotonic_ns;

	return ns < PAIRS_APART_NS
		       ? ticks_per_second * 1e-9
		       : (double)(forbidden.base.ticks - begin->ticks) / (double)ns;
}

int clock_forbid(int with_calls, const struct clock_pair *begin, double ticks_per_second)
{
	int before = (int)access_now();

	if (before == ACCESS_NONE)
		return before;
	if (!forbidden.is_restricted) {
		clock_read_both(&forbidden.base.ticks, &forbidden.base.monotonic_ns);
		forbidden.ticks_per_ns = rate_since(begin, ticks_per_second);
	}
	if (!with_calls)
		forbidden.is_by_prctl = 1;
	forbidden.latest_ns = clock_monotonic();
	/* release: who sees it finds the rest, too */
	__atomic_store_n(&forbidden.is_restricted, 1, __ATOMIC_RELEASE);
	own_access = with_calls ? ACCESS_NONE : ACCESS_CALLS;
	clock_is_tsc = 0;
	clock_comes_first = clock_comes_at_entry = 0;
	return before;
}

void clock_allow(int access)
{
	own_access = (enum access)access;
}

void clock_ask_again(void)
{
	own_access = ACCESS_UNKNOWN;
}
