/* SPDX-License-Identifier: MIT */
/*
 * What each function was really called: counted in its body, in memory that children by
 * fork share; and said at the end, one line for each function, for run_counted.py.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define TALLY_LIMIT 64
#define NO_HOOKS __attribute__((no_instrument_function))
#define APART __attribute__((noinline))

static uint64_t *tallies;

NO_HOOKS static inline void tally_begin(void)
{
	tallies = (uint64_t *)mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tallies == MAP_FAILED)
		abort();
}

#define TALLY(number) __atomic_fetch_add(&tallies[number], 1, __ATOMIC_RELAXED)

NO_HOOKS static inline void tally_say(const char *name, void *function, int number)
{
	char line[128];
	int length = snprintf(line, sizeof(line), "calls %s %lx %lu\n", name,
			      (unsigned long)(uintptr_t)function,
			      (unsigned long)tallies[number]);

	if (write(1, line, (size_t)length) != length)
		abort();
}

/* The collector knows functions by their addresses. */
#define TALLY_SAY(function, number) tally_say(#function, (void *)(function), number)

/* The program's own CPU time: on a busy machine it does the same. */
NO_HOOKS static inline uint64_t tally_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
