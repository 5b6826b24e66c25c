/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: the program computes for long in one call.
 */
// expect: T9 long-call build_table
#include "background.h"

static __attribute__((noinline)) void build_table(void)
{
	background_sink = background_mix(background_sink, 500000000);
}

int main(void)
{
	background(20, 70000);
	build_table();
	background(50, 70000);
	return 0;
}
