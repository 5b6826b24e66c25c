/* SPDX-License-Identifier: MIT */
/* Loads plugins by relative names, leaves for another directory, and runs them there:
 * wanders DIRECTORY CYCLES LIBRARY... A library whose name has no slash is looked for where
 * the loader looks. */
#include "truth.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST 8

ALONE static int run_all(void *(**runs)(void), int count, int cycles)
{
	for (int i = 0; i < cycles * count; i++)
		free(runs[i % count]());
	return 0;
}

int main(int argc, char **argv)
{
	void *(*runs[MOST])(void);
	int count = 0;

	for (int i = 3; i < argc && count < MOST; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);

		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		runs[count++] = (void *(*)(void))(uintptr_t)dlsym(library, "run");
	}
	if (chdir(argv[1]) < 0)
		return 1;
	return run_all(runs, count, atoi(argv[2]));
}
