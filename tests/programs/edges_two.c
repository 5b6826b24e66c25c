/* SPDX-License-Identifier: MIT */
/* What this is: a library for edges.c, loaded where edges_one.c was. */
#include "truth.h"

void plug(void (*function)(void), unsigned int count);

static volatile unsigned int sum;

ALONE void plug(void (*function)(void), unsigned int count)
{
	while (count--)
		function();
	sum++;
}
