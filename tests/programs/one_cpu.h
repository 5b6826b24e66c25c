/* SPDX-License-Identifier: MIT */
/*
 * What this is:  all threads of a program on one processor, so that they take turns.
 */
#pragma once

#include "truth.h"
#include <sched.h>

UNTRACED void stay_on_one(void)
{
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	sched_setaffinity(0, sizeof(one), &one);
}
