/* SPDX-License-Identifier: MIT */
/*
 * A function so short that its hooks soon lead to code that only counts. The parts in C
 * define it, those in C++ call it: functions in C may be left at any instruction.
 */
#pragma once

#define ALONE __attribute__((noinline, noclone))

#ifdef __cplusplus

extern "C" {
void steps(int count);
void become_known();
}

#else

#include <time.h>

static volatile unsigned long work;

ALONE void step(void)
{
	work = work + 1;
}

ALONE void steps(int count)
{
	for (int i = 0; i < count; i++)
		step();
}

/* Calls step() for so long that it is known to be short. */
ALONE void become_known(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		steps(100000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000l + now.tv_nsec - begin.tv_nsec <
		 300000000l);
}

#endif
