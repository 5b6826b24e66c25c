/* SPDX-License-Identifier: MIT */
/* Loads its arguments in turn, each time over: plugin_host CYCLES LIBRARY... Each library
 * has run(), which returns a block that is freed here. */
#include "truth.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

ALONE static int cycle(const char *path, void **ret_address)
{
	void *library = dlopen(path, RTLD_NOW);
	void *(*run)(void);

	if (!library)
		return -1;
	run = (void *(*)(void))(uintptr_t)dlsym(library, "run");
	*ret_address = (void *)run;
	free(run());
	return dlclose(library);
}

int main(int argc, char **argv)
{
	int shared = 0;

	for (int i = 0; i < atoi(argv[1]); i++) {
		void *last = NULL, *address;

		for (int k = 2; k < argc; k++) {
			if (cycle(argv[k], &address) < 0)
				return 1;
			shared += address == last;
			last = address;
		}
	}
	printf("addresses are %s\n", shared ? "used again" : "new");
	return 0;
}
