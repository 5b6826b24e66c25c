/* SPDX-License-Identifier: MIT */
/*
 * Loads libunwind for the hybrid stacks. Runs on: __libc_start_main, after all
 * constructors of libraries: a dlopen in our own constructor would run libc's with an
 * environment of NULL. Must not make libunwind a dependency of the shim: it exports
 * _Unwind_* functions, which would then come before libgcc's and carry the host's
 * exceptions. Debian's static library is not position independent. RTLD_LOCAL keeps its
 * symbols to us.
 */
#define UNW_LOCAL_ONLY
#include "shim/image/unwinder.h"

#include <dlfcn.h>
#include <libunwind.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "shim/core/process.h"
#include "shim/image/unwind_tables.h"
#include "shim/image/unwinder_calls.h"
#include "shim/stacks/rules.h"
#include "shim/stacks/stack.h"

#define STRING_OF(x) #x
#define SYMBOL_NAME(x) STRING_OF(x)

/* The functions of libunwind; NULL: not there. */
static struct {
	int (*backtrace)(void **, int);
	int (*set_policy)(unw_addr_space_t, unw_caching_policy_t);
	void (*flush_cache)(unw_addr_space_t, unw_word_t, unw_word_t);
	unw_addr_space_t *address_space;
	int (*get_context)(unw_context_t *);
	int (*init)(unw_cursor_t *, unw_context_t *);
	int (*step)(unw_cursor_t *);
	int (*get_register)(unw_cursor_t *, unw_regnum_t, unw_word_t *);
} calls;

static void *find(void *library, const char *name)
{
	return dlsym(library, name);
}

static void find_calls(void *library)
{
	*(void **)&calls.backtrace = find(library, "unw_backtrace");
	*(void **)&calls.set_policy = find(library, SYMBOL_NAME(unw_set_caching_policy));
	*(void **)&calls.flush_cache = find(library, SYMBOL_NAME(unw_flush_cache));
	calls.address_space = find(library, SYMBOL_NAME(unw_local_addr_space));
	*(void **)&calls.get_context =
		find(library, SYMBOL_NAME(UNW_ARCH_OBJ(getcontext)));
	*(void **)&calls.init = find(library, SYMBOL_NAME(unw_init_local));
	*(void **)&calls.step = find(library, SYMBOL_NAME(unw_step));
	*(void **)&calls.get_register = find(library, SYMBOL_NAME(unw_get_reg));
}

/* What unw_backtrace() does, without what it remembers of each thread's frames: nobody
 * can have it forget that, and where an object has been unloaded and another one has come
 * to its addresses it reads wild addresses and ends the host. Takes a microsecond for
 * each frame. */
static int backtrace_afresh(void **buffer, int size)
{
	unw_context_t context;
	unw_cursor_t cursor;
	int count = 0;

	if (calls.get_context(&context) < 0 || calls.init(&cursor, &context) < 0)
		return 0;
	while (count < size && calls.step(&cursor) > 0) {
		unw_word_t address;

		if (calls.get_register(&cursor, UNW_REG_IP, &address) < 0)
			break;
		buffer[count++] = (void *)(uintptr_t)address;
	}
	return count;
}

static void note_code(int index, void *address)
{
	struct dl_find_object found;

	if (address && _dl_find_object(address, &found) == 0) {
		stack_unwinder_code[index].start = (uint64_t)found.dlfo_map_start;
		stack_unwinder_code[index].end = (uint64_t)found.dlfo_map_end;
	}
}

void unwinder_load(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	void *stack[16];

	unwind_tables_begin();
	if (!library) {
		process_note(SEGMENT_NOTE_NO_UNWINDER);
		/* as in wrappers_resolve(): the program must not find our failure */
		dlerror();
		dlerror();
		return;
	}
	find_calls(library);
	/* without its pipe and its locks bound, libunwind is a danger to the host */
	if (!calls.backtrace || unwinder_bind_calls(library) < 0) {
		process_note(SEGMENT_NOTE_NO_UNWINDER);
		return;
	}
	if (calls.set_policy && calls.address_space)
		calls.set_policy(*calls.address_space, UNW_CACHE_PER_THREAD);
	calls.backtrace(stack, 16); /* its first use allocates */
	note_code(0, (void *)calls.backtrace);
	note_code(1, (void *)getauxval(AT_BASE));
	if (unwinder_found_objects)
		stack_unwinder = calls.backtrace;
	else /* a version whose callback has other data */
		process_note(SEGMENT_NOTE_NO_UNWINDER);
}

void unwinder_forget(void)
{
	rules_forget();
	if (!stack_unwinder)
		return;
	if (calls.flush_cache && calls.address_space)
		calls.flush_cache(*calls.address_space, 0, 0);
	/* relaxed: a thread in between has the old one's answer, as before */
	__atomic_store_n(&stack_unwinder,
			 calls.get_context && calls.init && calls.step &&
					 calls.get_register
				 ? backtrace_afresh
				 : NULL,
			 __ATOMIC_RELAXED);
}
