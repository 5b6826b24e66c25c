/* SPDX-License-Identifier: MIT */
/* A library that asks for another by its bare name: only its own RPATH or RUNPATH leads
 * there (-DLIBRARY). And the program that uses it. */
#include "truth.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int ask(void);

#ifdef LIBRARY
ALONE int ask(void)
{
	void *inner = dlopen("plugin_a.so", RTLD_NOW);
	void *(*run)(void);

	if (!inner)
		return 1;
	run = (void *(*)(void))(size_t)dlsym(inner, "run");
	free(run());
	return dlclose(inner);
}
#else
int main(void)
{
	printf("%d %d\n", ask(), dlopen("plugin_a.so", RTLD_NOW) != NULL);
	return 0;
}
#endif
