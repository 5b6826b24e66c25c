/* SPDX-License-Identifier: MIT */
/*
 * Who else interposes, before us or behind us. Runs on: the constructor. Must not run
 * later: dlsym takes the loader's lock.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>

#include "shim/boot/interposition.h"
#include "shim/core/process.h"
#include "shim/memory/shadow.h"
#include "shim/wrap/real.h"

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

/* A reference of a library to what the program may have: null in all but ours. */
extern const char profshim_own_program exported __attribute__((weak));

int interposition_is_wanted(void)
{
	if (&profshim_own_program || !is_with_program())
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
		real_free(block);
	else
		free(block);
	return ours;
}

void interposition_check(void)
{
	if (shadow_directory && !malloc_is_ours())
		process_note(SEGMENT_NOTE_OWN_ALLOCATOR);
	if (!is_ours("__cyg_profile_func_enter"))
		process_note(SEGMENT_NOTE_OWN_HOOKS);
}

unsigned int interposition_grain_shift(void)
{
	unsigned int shift = 4;
	void *blocks[8];

	if (malloc_is_defined_elsewhere())
		return shift;
	for (int i = 0; i < 8; i++) {
		blocks[i] = real_malloc(8);
		if ((uintptr_t)blocks[i] & 15)
			shift = 3;
	}
	for (int i = 0; i < 8; i++)
		real_free(blocks[i]);
	return shift;
}
