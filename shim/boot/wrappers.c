/* SPDX-License-Identifier: MIT */
/*
 * What this is:  wrappers of the functions that make control leave functions without
 *                their exit hook (longjmp, catch), and of dlclose.
 * Runs on:       traced threads.
 * Must not:      change what the wrapped functions do.
 * See also:      shim/hot/calls.h
 *
 * longjmp: glibc keeps the stack pointer in jmp_buf[6], rotated left by 17 bits and
 * mixed with the thread's pointer guard at fs:0x30. Frames called from below it are
 * gone. __cxa_begin_catch: called by the catching function itself, so frames called from
 * below its stack pointer are gone (gcc has run their exit hooks, clang has not).
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdint.h>

#include "common/attributes.h"
#include "shim/boot/boot.h"
#include "shim/hot/calls.h"

#define JMP_BUF_STACK_POINTER 6

typedef void jump_function(struct __jmp_buf_tag[1], int);

void __longjmp_chk(struct __jmp_buf_tag environment[1], int value)
	__attribute__((noreturn));
void *__cxa_begin_catch(void *exception);

static jump_function *real_longjmp, *real__longjmp, *real_siglongjmp, *real_longjmp_chk;
static void *(*real_begin_catch)(void *);
static int (*real_dlclose)(void *);

void wrappers_resolve(void)
{
	real_longjmp = (jump_function *)dlsym(RTLD_NEXT, "longjmp");
	real__longjmp = (jump_function *)dlsym(RTLD_NEXT, "_longjmp");
	real_siglongjmp = (jump_function *)dlsym(RTLD_NEXT, "siglongjmp");
	real_longjmp_chk = (jump_function *)dlsym(RTLD_NEXT, "__longjmp_chk");
	real_dlclose = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
	/* libstdc++ may come later, with dlopen */
	real_begin_catch = (void *(*)(void *))dlsym(RTLD_NEXT, "__cxa_begin_catch");
	/* the program must not find our failures: the first call hands the message out,
	 * the second frees it */
	dlerror();
	dlerror();
}

static void unwind_to(const struct __jmp_buf_tag *environment)
{
	uint64_t value = (uint64_t)environment->__jmpbuf[JMP_BUF_STACK_POINTER];

	__asm__("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(value) : : "cc");
	calls_unwind_to(value);
}

exported void longjmp(struct __jmp_buf_tag environment[1], int value)
{
	unwind_to(environment);
	real_longjmp(environment, value);
	__builtin_unreachable();
}

exported void _longjmp(struct __jmp_buf_tag environment[1], int value)
{
	unwind_to(environment);
	real__longjmp(environment, value);
	__builtin_unreachable();
}

exported void siglongjmp(struct __jmp_buf_tag environment[1], int value)
{
	unwind_to(environment);
	real_siglongjmp(environment, value);
	__builtin_unreachable();
}

exported void __longjmp_chk(struct __jmp_buf_tag environment[1], int value)
{
	unwind_to(environment);
	real_longjmp_chk(environment, value);
	__builtin_unreachable();
}

/* A runtime that came with dlopen(RTLD_LOCAL) is not behind us in the search order. */
static cold void find_begin_catch(void)
{
	static const char *const runtimes[] = {"libstdc++.so.6", "libc++abi.so.1",
					       "libc++.so.1"};

	real_begin_catch = (void *(*)(void *))dlsym(RTLD_NEXT, "__cxa_begin_catch");
	for (unsigned int i = 0; !real_begin_catch && i < 3; i++) {
		void *library = dlopen(runtimes[i], RTLD_LAZY | RTLD_NOLOAD);

		if (library)
			real_begin_catch =
				(void *(*)(void *))dlsym(library, "__cxa_begin_catch");
	}
}

exported void *__cxa_begin_catch(void *exception)
{
	calls_unwind_to((uintptr_t)__builtin_dwarf_cfa());
	if (unlikely(!real_begin_catch))
		find_begin_catch();
	return real_begin_catch(exception);
}

exported int dlclose(void *handle)
{
	int result = real_dlclose(handle);

	modules_unloaded();
	unwinder_forget();
	return result;
}
