/* SPDX-License-Identifier: MIT */
/*
 * Calibrates and converts the run's clock. Must not fail: a run without a usable clock
 * counts ticks as ns.
 */
#include "collector/processes/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Reading the two clocks of a pair takes about 50 ns, so 1 ms apart the rate is exact to
 * 1 part in 10,000. */
#define SHORTEST_SPAN_NS 1000000ull

uint64_t ticks_clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

uint64_t ticks_monotonic_ns(void)
{
	return ticks_clock_ns(CLOCK_MONOTONIC);
}

static uint64_t read_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

/* Reads both clocks; of a few tries, takes the one with the smallest gap. */
static void read_pair(uint64_t *ret_ticks, uint64_t *ret_monotonic_ns)
{
	uint64_t smallest = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before = read_tsc(), now = ticks_monotonic_ns();
		uint64_t gap = read_tsc() - before;

		if (gap < smallest) {
			smallest = gap;
			*ret_ticks = before + gap / 2;
			*ret_monotonic_ns = now;
		}
	}
}

/* Stores both at once, as being killed in between leaves a mismatched pair. */
void ticks_renew(const struct segment_run *page, struct segment_state *state)
{
	uint64_t ticks = 0, monotonic_ns = 0;

	read_pair(&ticks, &monotonic_ns);
	if (page->clock_kind != SEGMENT_CLOCK_TSC)
		ticks = monotonic_ns;
	__atomic_store_n(&state->last_ticks, ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&state->last_monotonic_ns, monotonic_ns, __ATOMIC_RELAXED);
}

static int is_this_boot(const struct segment_run *page)
{
	char now[sizeof(page->boot_id)] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	size_t size;

	if (!file)
		return 0;
	size = fread(now, 1, sizeof(now) - 1, file);
	fclose(file);
	now[size] = 0;
	now[strcspn(now, "\n")] = 0;
	return now[0] && strncmp(now, page->boot_id, strlen(now)) == 0;
}

/* Returns 0 when the pair is unusable. */
static double rate(const struct segment_run *page, uint64_t ticks, uint64_t monotonic_ns)
{
	if (ticks <= page->start_ticks || monotonic_ns <= page->start_monotonic_ns ||
	    monotonic_ns - page->start_monotonic_ns < SHORTEST_SPAN_NS)
		return 0;
	return (double)(ticks - page->start_ticks) * 1e9 /
	       (double)(monotonic_ns - page->start_monotonic_ns);
}

static int is_plausible(double per_second)
{
	return isfinite(per_second) && per_second >= 1e6 && per_second <= 1e11;
}

static double measure(const struct segment_run *page, const struct segment_state *state,
		      int same_boot)
{
	double estimate = page->ticks_per_second, measured = 0;

	if (same_boot) {
		uint64_t now = 0, monotonic_ns = 0;

		read_pair(&now, &monotonic_ns);
		measured = rate(page, now, monotonic_ns);
	} else if (state) {
		measured = rate(page, state->last_ticks, state->last_monotonic_ns);
	}
	if (!is_plausible(estimate))
		return is_plausible(measured) ? measured : 1e9;
	if (!is_plausible(measured) || fabs(measured / estimate - 1) > 0.02)
		return estimate;
	return measured;
}

void ticks_calibrate(struct ticks *ret, const struct segment_run *page,
		     const struct segment_state *state)
{
	ret->clock_kind = page->clock_kind;
	ret->same_boot = is_this_boot(page);
	ret->start_ticks = page->start_ticks;
	ret->start_monotonic_ns = page->start_monotonic_ns;
	ret->ticks_per_second = page->clock_kind == SEGMENT_CLOCK_TSC
					? measure(page, state, ret->same_boot)
					: 1e9;
	ret->ns_per_tick = 1e9 / ret->ticks_per_second;
}

uint64_t ticks_now(const struct ticks *ticks)
{
	if (ticks->clock_kind == SEGMENT_CLOCK_TSC)
		return read_tsc();
	return ticks_monotonic_ns();
}

uint64_t ticks_from_monotonic(const struct ticks *ticks, uint64_t monotonic_ns)
{
	double since = monotonic_ns > ticks->start_monotonic_ns
			       ? (double)(monotonic_ns - ticks->start_monotonic_ns)
			       : 0;

	return ticks->start_ticks + (uint64_t)(since / ticks->ns_per_tick);
}

int64_t ticks_duration_ns(const struct ticks *ticks, double duration_ticks)
{
	double ns = duration_ticks * ticks->ns_per_tick;

	if (!(ns > 0))
		return 0;
	return ns < (double)TICKS_LONGEST_NS ? llround(ns) : TICKS_LONGEST_NS;
}

int64_t ticks_since_start_ns(const struct ticks *ticks, uint64_t at_ticks)
{
	if (at_ticks <= ticks->start_ticks)
		return 0;
	return ticks_duration_ns(ticks, (double)(at_ticks - ticks->start_ticks));
}

uint64_t ticks_to_monotonic(const struct ticks *ticks, uint64_t at_ticks)
{
	return ticks->start_monotonic_ns +
	       (uint64_t)ticks_since_start_ns(ticks, at_ticks);
}
