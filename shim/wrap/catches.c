/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of the functions with which an exception ends the functions it passes
 * through. Runs on: traced threads, inside the unwinder or the catching function. Must
 * not change what the wrapped functions do.
 *
 * gcc runs exit hooks on the way, clang does not. _Unwind_SetIP is called by the
 * language's personality routine (C++, C's cleanups, Rust) when a function has a handler
 * or cleanup to run: everything called from below that function's stack pointer is gone
 * before the first instruction of the landing pad. __cxa_begin_catch is called by the
 * handler itself, for programs whose personality routine is out of our reach (linked in).
 */
#include <stdint.h>

#include "common/attributes.h"
#include "shim/record/jump.h"
#include "shim/wrap/resolve.h"

/* Not wrapped, but of the same library. */
static __typeof__(_Unwind_GetCFA) *real_get_cfa;

exported void _Unwind_SetIP(struct _Unwind_Context *context, _Unwind_Ptr address)
{
	void *caller = __builtin_return_address(0);
	__typeof__(_Unwind_GetCFA) *get_cfa = (__typeof__(_Unwind_GetCFA) *)resolve_late(
		(void **)&real_get_cfa, "_Unwind_GetCFA", caller);
	__typeof__(_Unwind_SetIP) *real = REAL_LATE(_Unwind_SetIP, caller);

	/* of the function that has the landing pad: its stack pointer at its call */
	if (get_cfa)
		jump_unwind(get_cfa(context));
	real(context, address);
}

exported void *__cxa_begin_catch(void *exception)
{
	__typeof__(__cxa_begin_catch) *real =
		REAL_LATE(__cxa_begin_catch, __builtin_return_address(0));

	jump_unwind((uintptr_t)__builtin_dwarf_cfa());
	return real(exception);
}
