/* SPDX-License-Identifier: MIT */
/* What this is:  a program that defines the hooks itself. */
#include "../programs/truth.h"
#include <stdio.h>

#define UNHOOKED __attribute__((no_instrument_function))

static volatile unsigned hooks, sum;

UNHOOKED void __cyg_profile_func_enter(void *function, void *call_site);
UNHOOKED void __cyg_profile_func_exit(void *function, void *call_site);

void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)function;
	(void)call_site;
	hooks++;
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)function;
	(void)call_site;
}

ALONE static void step(void)
{
	sum++;
}

int main(void)
{
	int i;

	for (i = 0; i < 1001; i++)
		step();
	printf("%u hooks\n", hooks);
	return 0;
}
