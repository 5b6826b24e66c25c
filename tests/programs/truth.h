/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what the small programs share to keep their numbers exact: the
 *                optimiser must neither merge functions nor drop allocations.
 * See also:      run_program.py, which says what the comments in the programs mean.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A function that stays a function of its own, with its own name. */
#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

/* No hooks, and no frame either. */
#define UNTRACED                                                                         \
	static inline __attribute__((always_inline, no_instrument_function, unused))

/* The compiler must think that somebody looks at what p points to. */
#define keep(p) __asm__ volatile("" : : "r"(p) : "memory")

/* A size that the compiler cannot know. */
UNTRACED size_t opaque(size_t size)
{
	__asm__ volatile("" : "+r"(size));
	return size;
}
