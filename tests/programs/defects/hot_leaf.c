/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: one function does more than half of the work itself.
 */
// expect: T1 hot-leaf score_item
#include "background.h"

static __attribute__((noinline)) void score_item(void)
{
	background_sink = background_mix(background_sink, 1500000);
}

static void rank_items(void)
{
	for (int i = 0; i < 160; i++)
		score_item();
}

int main(void)
{
	background(50, 70000);
	rank_items();
	return 0;
}
