/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that computes for 0.1 s with calls of hooks, and then for 0.3 s
 *                without one, until it ends: a ring has not as much room.
 * Must not:      print anything that differs from run to run.
 * See also:      samples.py
 */
#include <stdint.h>
#include <time.h>

#define UNHOOKED __attribute__((no_instrument_function))

static volatile uint64_t kept;

UNHOOKED static double computed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static __attribute__((noinline)) void step(void)
{
	for (int i = 0; i < 10000; i++)
		kept += (uint64_t)i;
}

UNHOOKED int main(void)
{
	while (computed() < 0.1)
		step();
	while (computed() < 0.4)
		kept++;
	step();
	return 0;
}
