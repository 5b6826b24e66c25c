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
#include <dlfcn.h>
#include <stdint.h>

#include "common/attributes.h"
#include "shim/boot/boot.h"
#include "shim/stacks/jump.h"
#include "shim/record/lane.h"

struct _Unwind_Context;

void _Unwind_SetIP(struct _Unwind_Context *context, uintptr_t address);
void *__cxa_begin_catch(void *exception);

/* A function that the caller's object would have found without us. */
struct found {
	const char *name;
	const void *own; /* our wrapper of it, or NULL */
	void *real;	 /* what comes after us in the search order of all objects */
};

static struct found set_ip = {"_Unwind_SetIP", (const void *)_Unwind_SetIP, NULL};
static struct found get_cfa = {"_Unwind_GetCFA", NULL, NULL};
static struct found begin_catch = {"__cxa_begin_catch", (const void *)__cxa_begin_catch,
				   NULL};

/* A runtime that came with dlopen(RTLD_LOCAL) is not behind us in the order of all: then
 * the caller's own scope has it. Two such objects may have a runtime each, so this is
 * not remembered. */
static cold void *look_up(struct found *found, void *caller)
{
	struct lane_context *context = lane_self;
	int own_work = lane_is_live(context) && !context->alloc_busy;
	void *address, *object = NULL;
	Dl_info info;

	if (own_work)
		lane_begin_own_work(context);
	address = dlsym(RTLD_NEXT, found->name);
	if (address) {
		/* relaxed: all threads find the same */
		__atomic_store_n(&found->real, address, __ATOMIC_RELAXED);
	} else if (dladdr1(caller, &info, &object, RTLD_DL_LINKMAP) && object) {
		address = dlsym(object, found->name);
		if (address == found->own)
			address = NULL;
	}
	/* the program must not find our failures: the first call hands the message out,
	 * the second frees it */
	dlerror();
	dlerror();
	if (own_work)
		lane_end_own_work(context);
	return address;
}

static void *find(struct found *found, void *caller)
{
	void *real = __atomic_load_n(&found->real, __ATOMIC_RELAXED);

	return likely(real) ? real : look_up(found, caller);
}

exported void _Unwind_SetIP(struct _Unwind_Context *context, uintptr_t address)
{
	void *caller = __builtin_return_address(0);
	uintptr_t (*cfa)(struct _Unwind_Context *) =
		(uintptr_t(*)(struct _Unwind_Context *))find(&get_cfa, caller);
	void (*real)(struct _Unwind_Context *, uintptr_t) =
		(void (*)(struct _Unwind_Context *, uintptr_t))find(&set_ip, caller);

	/* of the function that has the landing pad: its stack pointer at its call */
	if (cfa)
		jump_unwind(cfa(context));
	real(context, address);
}

exported void *__cxa_begin_catch(void *exception)
{
	void *(*real)(void *) =
		(void *(*)(void *))find(&begin_catch, __builtin_return_address(0));

	jump_unwind((uintptr_t)__builtin_dwarf_cfa());
	return real(exception);
}
