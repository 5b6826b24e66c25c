/* SPDX-License-Identifier: MIT */
/*
 * The wrappers of mprotect. A program that changes the protection of its own code may be
 * about to write to it: what was written there for a budget is taken back before, and
 * nothing is written again, or the program would find its page read-only. Must not change
 * arguments, result or errno. A program that executes the instruction itself is not seen.
 */
#include <stdint.h>
#include <sys/mman.h>

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

	if (high > low && code_is_in(low, high))
		modes_leave_code(low, high);
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
