/* SPDX-License-Identifier: MIT */
/* What this is:  a plugin with hooks for plugins.c, loaded where another one was. */
#include "truth.h"
#include <stdlib.h>

void plugin_run(int count);

static volatile unsigned sum;

ALONE static void two_step(void)
{
	sum++;
}

ALONE void plugin_run(int count)
{
	void *block = malloc(opaque(200));

	keep(block);
	while (count-- > 0)
		two_step();
	free(block);
}
