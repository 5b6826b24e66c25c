/* SPDX-License-Identifier: MIT */
/*
 * The wrappers of what changes the program's own code: its protection, or what is mapped
 * there. A program that does that may be about to write to it, or has a copy: what was
 * written there for a budget is taken back before, and nothing is written again. Likewise
 * what leads to pages of ours, when the program maps something over them. Must not change
 * arguments, result or errno. A program that executes the instruction itself is not seen:
 * its code is written on, and what it has made writable stays so (shim/patch/text.h).
 */
#undef _FILE_OFFSET_BITS /* mmap and mmap64 are defined */

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "common/attributes.h"
#include "shim/patch/code.h"
#include "shim/patch/modes.h"
#include "shim/wrap/real.h"

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

/* The same by syscall(), which jumps here (rights/sandbox.c). */
hidden long protect_syscall(long number, long a, long b, long c, long d, long e, long f);

long protect_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if ((int)number != SYS_mmap || d & MAP_FIXED)
		leave_code((const void *)a, (size_t)b);
	if ((int)number == SYS_mremap && d & MREMAP_FIXED)
		leave_code((const void *)e, (size_t)c);
	return real_syscall(number, a, b, c, d, e, f);
}
