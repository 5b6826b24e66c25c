/* SPDX-License-Identifier: MIT */
/* What this is:  loads a library again and again, and leaves who answers time for it.
 * usage:         loads_late LIBRARY */
#include "../programs/truth.h"
#include <dlfcn.h>
#include <unistd.h>

#define ROUNDS 100
#define CALLS 10

ALONE static int use(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*run)(int) = library ? (void (*)(int))dlsym(library, "plugin_run") : NULL;

	if (!run)
		return 1;
	run(CALLS);
	usleep(10000);
	return dlclose(library);
}

int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 0; i < ROUNDS && !failed; i++)
		failed = use(argv[1]);
	return failed;
}
