/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the wrapper of dlclose.
 * Runs on:       traced threads.
 * Must not:      change what dlclose does. dlopen is not wrapped: it looks at its caller
 *                to find RPATH and $ORIGIN.
 * See also:      shim/boot/modules.c
 */
#include <dlfcn.h>

#include "common/attributes.h"
#include "shim/boot/boot.h"

static int (*real_dlclose)(void *);

void unload_resolve(void)
{
	real_dlclose = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
}

exported int dlclose(void *handle)
{
	int result = real_dlclose(handle);

	modules_unloaded();
	unwinder_forget();
	return result;
}
