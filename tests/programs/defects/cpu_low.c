/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: everything waits a little, everywhere.
 */
// expect: R1 cpu-low
#include <time.h>

#define BACKGROUND_EXTRA() nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL)
#include "background.h"

int main(void)
{
	background(5, 200000);
	return 0;
}
