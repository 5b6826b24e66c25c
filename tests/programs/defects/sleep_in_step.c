/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: each step sleeps, to be sure that what it asked for is there.
 */
// expect: W3 sleep-in-step fetch
#include "background.h"
#include "profshim.h"

#include <time.h>

static __attribute__((noinline)) void fetch(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
}

int main(void)
{
	for (int i = 0; i < 150; i++) {
		profshim_step("request");
		background(1, 50000);
		fetch();
	}
	return 0;
}
