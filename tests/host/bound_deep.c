/* SPDX-License-Identifier: MIT */
/* A plugin that is bound to its own libraries first (RTLD_DEEPBIND) does not find our
 * malloc. Blocks cross the border both ways. bound_deep PLUGIN */
#include "truth.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND) : NULL;
	void *self = dlopen(NULL, RTLD_NOW);
	void *apart = argc > 1 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) : NULL;
	void *(*run)(void), *(*run_apart)(void);

	if (!library || !apart || !self || !dlsym(self, "free"))
		return 1;
	run = (void *(*)(void))(size_t)dlsym(library, "run");
	run_apart = (void *(*)(void))(size_t)dlsym(apart, "run");
	for (int i = 0; i < 1000; i++) {
		void *block = run(), *other = malloc(opaque(1000));

		if (!run_apart()) /* of a heap of its own: cannot be freed here */
			return 2;
		keep(other);
		free(other);
		free(block);
	}
	dlclose(library);
	printf("done\n");
	return 0;
}
