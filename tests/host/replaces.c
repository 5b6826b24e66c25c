/* SPDX-License-Identifier: MIT */
/* Loads a library, runs it, and puts another file in its place: replaces LIBRARY NEW OLD */
#include "truth.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *library = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *(*run)(void);

	if (!library)
		return 1;
	run = (void *(*)(void))(uintptr_t)dlsym(library, "run");
	free(run());
	return rename(argv[2], argv[3]) < 0;
}
