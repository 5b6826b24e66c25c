/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: each record asks for its keys one by one, hundreds of times.
 */
// expect: T3 chatty-edge find_key
#include "background.h"

static __attribute__((noinline)) void find_key(void)
{
	background_sink = background_mix(background_sink, 6000);
}

static __attribute__((noinline)) void load_record(void)
{
	for (int i = 0; i < 250; i++)
		find_key();
}

static void load_records(void)
{
	for (int i = 0; i < 160; i++)
		load_record();
}

int main(void)
{
	background(50, 70000);
	load_records();
	return 0;
}
