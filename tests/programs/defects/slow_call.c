/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: each of a few calls takes long, a third of it by itself.
 */
// expect: T0 slow-call handle_request
#include "background.h"

static __attribute__((noinline)) void handle_request(void)
{
	background_sink = background_mix(background_sink, 25000000);
	background(10, 120000);
}

int main(void)
{
	for (int i = 0; i < 5; i++)
		handle_request();
	return 0;
}
