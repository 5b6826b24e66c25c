/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: one call in ninety takes very long, and how long varies.
 */
// expect: T7 tail-latency answer
#include "background.h"

static __attribute__((noinline)) void answer(unsigned number)
{
	uint64_t steps = 3000;

	/* 1.1 % of the calls, 100 to 900 times as long */
	if (number % 90 == 7)
		steps *= 100 + 800 * (number / 90 % 41) / 40;
	background_sink = background_mix(background_sink, steps);
}

static void answer_all(void)
{
	for (unsigned i = 0; i < 8000; i++)
		answer(i);
}

int main(void)
{
	background(40, 50000);
	answer_all();
	return 0;
}
