/* SPDX-License-Identifier: MIT */
/*
 * The wrapper of dlclose. Must not change what dlclose does. dlopen is not wrapped: it
 * looks at its caller to find RPATH and $ORIGIN.
 */
#include <dlfcn.h>
#include <link.h>

#include "common/attributes.h"
#include "shim/image/modules.h"
#include "shim/image/unwinder.h"
#include "shim/patch/modes.h"
#include "shim/wrap/real.h"

/* Is an object that was there not there any more? Asked without the loader's locks: in a
 * child that was forked while another thread held one it would be for ever. */
static int has_gone(const void *address, const struct link_map *object)
{
	struct dl_find_object found;

	return _dl_find_object((void *)address, &found) != 0 ||
	       found.dlfo_link_map != object;
}

exported int dlclose(void *handle)
{
	const struct link_map *object = handle;
	const void *inside = object->l_ld; /* dlclose itself reads farther on there */
	int result;

	modes_begin_unloading();
	result = real_dlclose(handle);
	modules_unloaded();
	modes_end_unloading();
	if (has_gone(inside, object))
		unwinder_forget();
	return result;
}
