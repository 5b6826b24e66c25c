/* SPDX-License-Identifier: MIT */
/* The wrappers of what changes or asks for the program's code and objects: mprotect and
 * its family, the loader's questions of unwinders, dlclose, brk. Must not change what
 * they do. */
#undef _FILE_OFFSET_BITS /* mmap and mmap64 are defined */

#include "shim/wrap/begin.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/attributes.h"
#include "shim/image/image.h"
#include "shim/code/code.h"
#include "shim/patch/modes.h"
#include "shim/patch/arenas.h"
#include "shim/wrap/real.h"

/*
 * The wrappers of what changes the program's own code: its protection, or what is mapped
 * there. A program that does that may be about to write to it, or has a copy: what was
 * written there for a budget is taken back before, and nothing is written again. Likewise
 * what leads to pages of ours, when the program maps something over them. Must not change
 * arguments, result or errno. A program that executes the instruction itself is not seen:
 * its code is written on, and what it has made writable stays so (shim/patch/text.h).
 */

#define PAGE_BYTES 4096ul

/* Nearly all calls are of memory that is in no object: of code that the program makes. */
static void leave_code(const void *address, size_t size)
{
	uintptr_t low = (uintptr_t)address & ~(PAGE_BYTES - 1);
	uintptr_t high = ((uintptr_t)address + size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

	if (high <= low)
		return;
	if (code_is_in(low, high))
		modes_leave_code(low, high);
	modes_leave_stubs(low, high);
}

exported int mprotect(void *address, size_t size, int protection)
{
	leave_code(address, size);
	return real_mprotect(address, size, protection);
}

exported int pkey_mprotect(void *address, size_t size, int protection, int key)
{
	leave_code(address, size);
	return real_pkey_mprotect(address, size, protection, key);
}

exported void *mmap(void *address, size_t size, int protection, int flags, int file,
		    off_t offset)
{
	if (flags & MAP_FIXED)
		leave_code(address, size);
	return real_mmap(address, size, protection, flags, file, offset);
}

exported void *mmap64(void *address, size_t size, int protection, int flags, int file,
		      off64_t offset)
{
	if (flags & MAP_FIXED)
		leave_code(address, size);
	return real_mmap64(address, size, protection, flags, file, offset);
}

/* to: as far as the flags say that it is there */
exported void *mremap(void *address, size_t old_size, size_t size, int flags, ...)
{
	void *to = NULL;
	va_list list;

	if (flags & ~MREMAP_MAYMOVE) {
		va_start(list, flags);
		to = va_arg(list, void *);
		va_end(list);
	}
	leave_code(address, old_size);
	if (flags & MREMAP_FIXED)
		leave_code(to, size);
	return real_mremap(address, old_size, size, flags, to);
}

/* The same by syscall(), which jumps here (sandbox.c). */
hidden long protect_syscall(long number, long a, long b, long c, long d, long e, long f);

long protect_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if ((int)number != SYS_mmap || d & MAP_FIXED)
		leave_code((const void *)a, (size_t)b);
	if ((int)number == SYS_mremap && d & MREMAP_FIXED)
		leave_code((const void *)e, (size_t)c);
	return real_syscall(number, a, b, c, d, e, f);
}

/*
 * The wrappers of what unwinders ask the loader: which object an address is in. They are
 * told of arenas, too, whose code a signal may interrupt like any other. Runs on: any
 * thread and context; the first takes no lock, in a handler neither. Must not make the
 * answer for other addresses slower: an exception asks once for each frame.
 */

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

/*
 * The wrapper of dlclose. Must not change what dlclose does. dlopen is not wrapped: it
 * looks at its caller to find RPATH and $ORIGIN.
 */

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
		rules_forget();
	return result;
}

/*
 * The wrapper of brk. Where the heap has been moved, the kernel would give up what lies
 * below its new beginning. heap_begin() runs in the constructor. Must not change errno.
 */

/* All segments of a program that is where it is linked to, in whole pages. 0: the kernel
 * has chosen its place, or it calls no hook. Then nothing of it is led to us, and it may
 * be an image of Lisp, whose heap was saved with it. */
static int find_fixed_program(struct extent *ret)
{
	const ElfW(Phdr) *segments = (const void *)getauxval(AT_PHDR);
	ElfW(Half) count = (ElfW(Half))getauxval(AT_PHNUM);

	*ret = (struct extent){UINTPTR_MAX, 0};
	if (!segments || !_r_debug.r_map || _r_debug.r_map->l_addr ||
	    !object_calls(
		    &(struct dl_phdr_info){.dlpi_phdr = segments, .dlpi_phnum = count},
		    OBJECT_HOOK))
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
