/* SPDX-License-Identifier: MIT */
/*
 * The wrappers of what unwinders ask the loader: which object an address is in. They are
 * told of arenas, too, whose code a signal may interrupt like any other. Runs on: any
 * thread and context; the first takes no lock, in a handler neither. Must not make the
 * answer for other addresses slower: an exception asks once for each frame.
 */
#include <dlfcn.h>
#include <link.h>

#include "common/attributes.h"
#include "shim/patch/stubs/arena_image.h"
#include "shim/patch/stubs/arenas.h"
#include "shim/wrap/real.h"

exported int _dl_find_object(void *address, struct dl_find_object *ret)
{
	int result = real__dl_find_object(address, ret);
	uintptr_t arena;

	if (likely(result == 0))
		return result;
	arena = arenas_of((uintptr_t)address);
	if (!arena)
		return result;
	arena_image_find(arena, ret);
	return 0;
}

/* Passes objects on, and remembers what the last one said of how many there have been. */
struct visit {
	int (*look)(struct dl_phdr_info *info, size_t size, void *data);
	void *data;
	struct dl_phdr_info last;
};

static int pass_on(struct dl_phdr_info *info, size_t size, void *data)
{
	struct visit *visit = data;

	visit->last.dlpi_adds = info->dlpi_adds;
	visit->last.dlpi_subs = info->dlpi_subs;
	return visit->look(info, size, visit->data);
}

exported int dl_iterate_phdr(int (*look)(struct dl_phdr_info *info, size_t size,
					 void *data),
			     void *data)
{
	struct visit visit = {look, data, {0}};
	uintptr_t arena = arenas_start(0);
	int result;

	if (!arena)
		return real_dl_iterate_phdr(look, data);
	result = real_dl_iterate_phdr(pass_on, &visit);
	for (uint32_t i = 0; result == 0 && (arena = arenas_start(i)); i++) {
		struct dl_phdr_info info;

		arena_image_tell(arena, &info);
		info.dlpi_adds = visit.last.dlpi_adds;
		info.dlpi_subs = visit.last.dlpi_subs;
		result = look(&info, sizeof(info), data);
	}
	return result;
}
