/* SPDX-License-Identifier: MIT */
/* A plugin of plugin_host.c; WHO and SIZE tell it from the others, which have the same
 * code at the same places. */
#include "truth.h"
#include <stdlib.h>

#define JOIN(a, b) a##_##b
#define NAME(a, b) JOIN(a, b)

void *run(void);

ALONE static void NAME(step, WHO)(void)
{
	__asm__ volatile("");
}

ALONE static void *NAME(make, WHO)(void)
{
	void *block = malloc(opaque(SIZE));

	keep(block);
	return block;
}

void *run(void)
{
	NAME(step, WHO)();
	return NAME(make, WHO)();
}
