/* SPDX-License-Identifier: MIT */
/*
 * Converts the run's clock to nanoseconds. Must not trust implausible numbers of the
 * writer.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "common/segment.h"

struct ticks {
	uint32_t clock_kind;
	int same_boot; /* the run's clocks still run on this machine */
	uint64_t start_ticks, start_monotonic_ns;
	double ticks_per_second, ns_per_tick;
};

/* The longest plausible duration: 2.3 years. Keeps sums of damaged numbers in range. */
#define TICKS_LONGEST_NS (1ll << 56)

/* Measures the clock's rate from the run's first (ticks, monotonic) pair and the latest
 * one: now, if this is the run's boot, else the writer's last pair. Uses the writer's
 * estimate when the pairs are too close together or disagree with it by more than 2 %
 * (the machine slept, a clock was set). state: contains the writer's last pair, or
 * NULL. */
void ticks_calibrate(struct ticks *ret, const struct segment_run *page,
		     const struct segment_state *state);

/* For the collector: renews the last pair, a sign that the run is attended. */
void ticks_renew(const struct segment_run *page, struct segment_state *state);

/* Now, in ticks of the run's clock. Only when same_boot. */
uint64_t ticks_now(const struct ticks *ticks);

/* A kernel clock in ns (0: it cannot be read), and CLOCK_MONOTONIC. */
uint64_t ticks_clock_ns(clockid_t clock);
uint64_t ticks_monotonic_ns(void);

/* Convert a time of CLOCK_MONOTONIC (same boot) to ticks and back, and a time in ticks to
 * ns since the start of the run (0 when before it). */
uint64_t ticks_from_monotonic(const struct ticks *ticks, uint64_t monotonic_ns);
uint64_t ticks_to_monotonic(const struct ticks *ticks, uint64_t at_ticks);
int64_t ticks_since_start_ns(const struct ticks *ticks, uint64_t at_ticks);

/* A duration in ns, at most TICKS_LONGEST_NS. */
int64_t ticks_duration_ns(const struct ticks *ticks, double duration_ticks);
