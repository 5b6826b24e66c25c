/* SPDX-License-Identifier: MIT */
/*
 * The wrapper of dlclose. Must not change what dlclose does. dlopen is not wrapped: it
 * looks at its caller to find RPATH and $ORIGIN.
 */
#include <dlfcn.h>

#include "common/attributes.h"
#include "shim/image/modules.h"
#include "shim/image/unwinder.h"
#include "shim/wrap/real.h"

exported int dlclose(void *handle)
{
	int result = real_dlclose(handle);

	modules_unloaded();
	unwinder_forget();
	return result;
}
