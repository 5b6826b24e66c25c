/* SPDX-License-Identifier: MIT */
/*
 * Finds the real allocator and who else interposes. Runs on: the constructor. Must not
 * run later: dlsym takes the loader's lock.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>

#include "shim/boot/boot.h"
#include "shim/core/process.h"
#include "shim/core/real.h"
#include "shim/memory/shadow.h"

static int resolve(void **target, const char *name)
{
	*target = dlsym(RTLD_NEXT, name);
	return *target ? 0 : -ENOENT;
}

int resolve_real_functions(void)
{
	struct {
		void **target;
		const char *name;
	} wanted[] = {
		{(void **)&real.malloc, "malloc"},
		{(void **)&real.calloc, "calloc"},
		{(void **)&real.realloc, "realloc"},
		{(void **)&real.free, "free"},
		{(void **)&real.posix_memalign, "posix_memalign"},
		{(void **)&real.aligned_alloc, "aligned_alloc"},
		{(void **)&real.memalign, "memalign"},
		{(void **)&real.valloc, "valloc"},
		{(void **)&real.pvalloc, "pvalloc"},
		{(void **)&real.malloc_usable_size, "malloc_usable_size"},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (resolve(wanted[i].target, wanted[i].name) < 0)
			return -ENOENT;
	}
	real_ready = 1;
	return 0;
}

/* True when the first definition of a name that the loader finds is in this library. */
static int is_ours(const char *name)
{
	Dl_info found, own;
	void *address = dlsym(RTLD_DEFAULT, name);

	return address && dladdr(address, &found) && dladdr((void *)is_ours, &own) &&
	       found.dli_fbase == own.dli_fbase;
}

/* Are we among the program's own libraries, and not in a namespace of dlmopen()? */
static int is_with_program(void)
{
	const struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1((void *)is_ours, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return 0;
	while (map->l_prev)
		map = map->l_prev;
	return map->l_name[0] == '\0'; /* the program comes first, without a name */
}

int resolve_is_preloaded(void)
{
	if (!is_with_program())
		return 0;
	/* the program may define any of them itself, but hardly all */
	return is_ours("__libc_start_main") || is_ours("__cyg_profile_func_enter") ||
	       is_ours("dlclose");
}

/* True when the first malloc that the loader finds is defined by somebody else. Then
 * nothing of the allocators may be called as early as this: GCL's own malloc (in maxima)
 * is not ready, and expects that libc's has not moved the program break. */
static int malloc_is_defined_elsewhere(void)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info found;

	return dladdr1(dlsym(RTLD_DEFAULT, "malloc"), &found, (void **)&symbol,
		       RTLD_DL_SYMENT) &&
	       symbol && symbol->st_shndx != SHN_UNDEF && !is_ours("malloc");
}

/* Otherwise asked by calling it: what dlsym gives is the program's own PLT entry when a
 * program that is not position independent takes the address of malloc. */
static int malloc_is_ours(void)
{
	void *block;
	int ours;

	if (malloc_is_defined_elsewhere())
		return 0;
	block = malloc(1);
	ours = block && shadow_take((uintptr_t)block).site == SHADOW_SITE_TOOL;
	if (ours)
		real.free(block);
	else
		free(block);
	return ours;
}

void resolve_check_interposition(void)
{
	if (shadow_directory && !malloc_is_ours())
		process_note(SEGMENT_NOTE_OWN_ALLOCATOR);
	if (!is_ours("__cyg_profile_func_enter"))
		process_note(SEGMENT_NOTE_OWN_HOOKS);
}

unsigned int resolve_grain_shift(void)
{
	unsigned int shift = 4;
	void *blocks[8];

	if (malloc_is_defined_elsewhere())
		return shift;
	for (int i = 0; i < 8; i++) {
		blocks[i] = real.malloc(8);
		if ((uintptr_t)blocks[i] & 15)
			shift = 3;
	}
	for (int i = 0; i < 8; i++)
		real.free(blocks[i]);
	return shift;
}
