/* SPDX-License-Identifier: MIT */
/*
 * What this is:  work without a defect, spread evenly over forty functions, so that what a
 *                program adds to it stands out. Each takes a fortieth of a round.
 */
#pragma once

#include <stdint.h>

#define PLAIN static inline __attribute__((always_inline, no_instrument_function))

static volatile uint64_t background_sink;

/* About a nanosecond each; the result hangs on every step. */
PLAIN uint64_t background_mix(uint64_t value, uint64_t steps)
{
	for (uint64_t i = 0; i < steps; i++)
		value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9ull + i;
	return value;
}

#ifndef BACKGROUND_EXTRA
#define BACKGROUND_EXTRA() ((void)0)
#endif

#define BACKGROUND_PART(n)                                                               \
	static __attribute__((noinline)) void part_##n(uint64_t steps)                   \
	{                                                                                \
		background_sink = background_mix(background_sink + 1##n, steps);         \
		BACKGROUND_EXTRA();                                                      \
	}

#define BACKGROUND_TEN(x, n)                                                             \
	x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7) x(n##8) x(n##9)
#define BACKGROUND_ALL(x)                                                                \
	BACKGROUND_TEN(x, 1)                                                             \
	BACKGROUND_TEN(x, 2) BACKGROUND_TEN(x, 3) BACKGROUND_TEN(x, 4)
#define BACKGROUND_CALL(n) part_##n(steps);

BACKGROUND_ALL(BACKGROUND_PART)

static __attribute__((noinline)) void background(int rounds, uint64_t steps)
{
	for (int i = 0; i < rounds; i++) {
		BACKGROUND_ALL(BACKGROUND_CALL)
	}
}
