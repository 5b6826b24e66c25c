/* SPDX-License-Identifier: MIT */
/*
 * The wrapper of brk. Where the heap has been moved, the kernel would give up what lies
 * below its new beginning. heap_begin() runs in the constructor. Must not change errno.
 */
#include "shim/wrap/heap.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "common/attributes.h"
#include "shim/image/object.h"
#include "shim/patch/stubs/arenas.h"
#include "shim/wrap/real.h"

#define PAGE_BYTES 4096ul

/* All segments of a program that is where it is linked to, in whole pages. 0: the kernel
 * has chosen its place, or it calls no hook. Then nothing of it is led to us, and it may
 * be an image of Lisp, whose heap was saved with it. */
static int find_fixed_program(struct extent *ret)
{
	const ElfW(Phdr) *segments = (const void *)getauxval(AT_PHDR);
	ElfW(Half) count = (ElfW(Half))getauxval(AT_PHNUM);

	*ret = (struct extent){UINTPTR_MAX, 0};
	if (!segments || !_r_debug.r_map || _r_debug.r_map->l_addr ||
	    !object_calls_hooks(
		    &(struct dl_phdr_info){.dlpi_phdr = segments, .dlpi_phnum = count}))
		return 0;
	for (ElfW(Half) i = 0; i < count; i++) {
		uintptr_t low = segments[i].p_vaddr, high = low + segments[i].p_memsz;

		if (segments[i].p_type != PT_LOAD)
			continue;
		if (low < ret->low)
			ret->low = low & ~(PAGE_BYTES - 1);
		if (high > ret->high)
			ret->high = (high + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	}
	return ret->high != 0;
}

void heap_begin(void)
{
	struct extent program;

	if (find_fixed_program(&program))
		arenas_begin(&program);
}

/* Of an address below the heap the kernel says where it ends, and changes nothing. */
exported int brk(void *address)
{
	return real_brk((uintptr_t)address < arenas_heap() ? NULL : address);
}
