/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: as in chatty_edge.c, with a region around each of the calls.
 */
// expect: T3 chatty-edge find_key
#include "background.h"
#include "profshim.h"

static __attribute__((noinline)) void find_key(void)
{
	background_sink = background_mix(background_sink, 6000);
}

static __attribute__((noinline)) void load_record(void)
{
	for (int i = 0; i < 250; i++) {
		profshim_region_begin("load", "key");
		find_key();
		profshim_region_end("load", "key");
	}
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
