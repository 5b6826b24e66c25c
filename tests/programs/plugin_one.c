/* SPDX-License-Identifier: MIT */
/* What this is:  a plugin with hooks for plugins.c, loaded where another one was. */
#include "truth.h"
#include <stdlib.h>

void plugin_run(int count);

static volatile unsigned sum;

ALONE static void one_step(void)
{
	sum++;
}

ALONE void plugin_run(int count)
{
	void *block = malloc(opaque(100));

	keep(block);
	while (count-- > 0)
		one_step();
	free(block);
}
