/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: every fifth call takes a path that is fifty times as slow.
 */
// expect: T8 two-mode-latency read_entry
#include "background.h"

static __attribute__((noinline)) void read_entry(unsigned number)
{
	background_sink =
		background_mix(background_sink, number % 5 == 3 ? 700000 : 14000);
}

static void read_all(void)
{
	for (unsigned i = 0; i < 1600; i++)
		read_entry(i);
}

int main(void)
{
	background(50, 50000);
	read_all();
	return 0;
}
