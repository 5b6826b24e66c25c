/* SPDX-License-Identifier: MIT */
/*
 * What this is:  loads libunwind for the hybrid stacks.
 * Runs on:       __libc_start_main, after all constructors of libraries: a dlopen in our
 *                own constructor would run libc's with an environment of NULL.
 * Must not:      make libunwind a dependency of the shim: it exports _Unwind_* functions,
 *                which would then come before libgcc's and carry the host's exceptions.
 *                Debian's static library is not position independent. RTLD_LOCAL keeps
 *                its symbols to us.
 * See also:      shim/hot/stack.h
 */
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>

#include "shim/boot/boot.h"
#include "shim/hot/process.h"
#include "shim/hot/stack.h"

static void (*flush_cache)(unw_addr_space_t, unw_word_t, unw_word_t);
static unw_addr_space_t *address_space;

#define STRING_OF(x) #x
#define SYMBOL_NAME(x) STRING_OF(x)

void unwinder_load(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	int (*backtrace)(void **, int);
	int (*set_policy)(unw_addr_space_t, unw_caching_policy_t);
	void *stack[16];

	if (!library) {
		process_note(SEGMENT_NOTE_NO_UNWINDER);
		return;
	}
	backtrace = (int (*)(void **, int))dlsym(library, "unw_backtrace");
	set_policy = (int (*)(unw_addr_space_t, unw_caching_policy_t))dlsym(
		library, SYMBOL_NAME(unw_set_caching_policy));
	flush_cache = (void (*)(unw_addr_space_t, unw_word_t, unw_word_t))dlsym(
		library, SYMBOL_NAME(unw_flush_cache));
	address_space = dlsym(library, SYMBOL_NAME(unw_local_addr_space));
	if (!backtrace) {
		process_note(SEGMENT_NOTE_NO_UNWINDER);
		return;
	}
	if (set_policy && address_space)
		set_policy(*address_space, UNW_CACHE_PER_THREAD);
	backtrace(stack, 16); /* its first use allocates and takes the loader's lock */
	stack_unwinder = backtrace;
}

void unwinder_forget(void)
{
	if (flush_cache && address_space)
		flush_cache(*address_space, 0, 0);
}
