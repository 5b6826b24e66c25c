/* SPDX-License-Identifier: MIT */
/*
 * Finds what comes after us in the search order of the program. Runs on: the constructor;
 * resolve_early() before it, or within it; resolve_late() in the middle of an exception.
 * Must not be first asked for anything by a signal handler or within malloc: dlsym takes
 * the loader's lock, and allocates when it finds nothing.
 *
 * VERSIONS. Of some functions libc has an old one for old programs. Before glibc 2.36 it
 * was the old one that RTLD_NEXT found (bug 14932), whose structures may be others (those
 * of pthread_cond_wait are). With dlvsym the version can be named, but then libraries are
 * passed over that wrap the function as we do, without a version. So it is asked only
 * which function it is of the object that comes next, where libc has that version.
 * The old pthread_kill() says ESRCH of a thread that has ended and not been joined, the
 * one of glibc 2.34 says that all is well: who was linked before and asks until a thread
 * is gone would ask for ever. Such a program gets the old one, and all its libraries do.
 *
 * FAILURES. For a name that nobody has dlsym allocates a message, and the next call of it
 * frees that. Both go to the program's allocator, which may not be ready yet, or to a
 * library that asks dlsym for the real free in its first call of free: without end. So
 * what an older libc does not have is not looked for.
 */
#include "shim/wrap/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <string.h>

#include "shim/image/image.h"
#include "shim/lane/lane.h"
#include "shim/memory/early_heap.h"

/* A program may call a function of ours before our constructor: an allocator or a
 * sanitizer starts when the loader first calls its malloc, or we one of its functions,
 * and then opens files and sets signal stacks. So all but the allocator's functions are
 * looked up by their first call, which comes here with the pointer in r11. Keeps all
 * registers that have arguments; none of the table has any in others. Seven pushes align
 * the stack for the call. */
__asm__(".text\n"
	"real_early:\n"
	"	.cfi_startproc\n"
	"	.irp register, rax, rdi, rsi, rdx, rcx, r8, r9\n"
	"	pushq %\\register\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.endr\n"
	"	movq %r11, %rdi\n"
	"	call resolve_early\n"
	"	movq %rax, %r11\n"
	"	.irp register, r9, r8, rcx, rdx, rsi, rdi, rax\n"
	"	popq %\\register\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.endr\n"
	"	jmp *%r11\n"
	"	.cfi_endproc\n");

#define WRAPPED(name)                                                                    \
	__asm__(".text\n" #name "_early:\n"                                              \
		"	.cfi_startproc\n"                                                      \
		"	leaq real_" #name "(%rip), %r11\n"                               \
		"	jmp real_early\n"                                                      \
		"	.cfi_endproc\n");                                                \
	hidden void name##_early(void);                                                  \
	WRAPPED_ELSE(name, name##_early)
#define WRAPPED_ELSE(name, other) __typeof__(name) *real_##name = (void *)(other);
#define LATE(name) __typeof__(name) *real_##name;
#include "shim/wrap/wrapped.def"

struct row {
	void **real;
	const char *name;
	const char *version; /* NULL: there is only one */
	int since;	     /* glibc 2.N; 0: all that we know have it */
};

static const struct row rows[] = {
#define WRAPPED(name) {(void **)&real_##name, #name, NULL, 0},
#define WRAPPED_AT(name, version) {(void **)&real_##name, #name, version, 0},
#define WRAPPED_SINCE(name, minor) {(void **)&real_##name, #name, NULL, minor},
#include "shim/wrap/wrapped.def"
};

static int is_same_object(const void *one, const void *other)
{
	Dl_info first, second;

	return dladdr(one, &first) && dladdr(other, &second) &&
	       first.dli_fbase == second.dli_fbase;
}

/* The program must not find our failures: the first call hands the message out, the
 * second frees it. */
static void forget_failures(void)
{
	dlerror();
	dlerror();
}

/* N of "2.N" or "GLIBC_2.N". Without atoi(): a sanitizer that starts itself when one of
 * its functions is called first, and is doing so, cannot have it called. */
static int minor_of_version(const char *version)
{
	int minor = 0;

	while (*version && *version++ != '.')
		;
	while (*version >= '0' && *version <= '9')
		minor = 10 * minor + (*version++ - '0');
	return minor;
}

static void *find_next(const struct row *row, int minor)
{
	void *next = dlsym(RTLD_NEXT, row->name), *exact = NULL;

	if (row->version && minor_of_version(row->version) <= minor)
		exact = dlvsym(RTLD_NEXT, row->name, row->version);
	return exact && next && is_same_object(exact, next) ? exact : next;
}

/* As linkers told it to before glibc 2.34, whose libc has what was in there. */
static int program_needs_libpthread(void)
{
	const struct link_map *program = _r_debug.r_map;
	const char *strings;
	uint64_t address;

	if (!program || !program->l_ld)
		return 0;
	/* the loader has made it an address, but for some machines */
	address = object_dynamic(program->l_ld, DT_STRTAB);
	strings = (const char *)(address && address < program->l_addr
					 ? address + program->l_addr
					 : address);
	for (const ElfW(Dyn) *at = program->l_ld; strings && at->d_tag != DT_NULL; at++) {
		if (at->d_tag == DT_NEEDED &&
		    !strcmp(strings + at->d_un.d_val, "libpthread.so.0"))
			return 1;
	}
	return 0;
}

static void take_old_pthread_kill(void)
{
	void *old = dlvsym(RTLD_NEXT, "pthread_kill", "GLIBC_2.2.5");

	if (old && is_same_object(old, (void *)real_pthread_kill))
		real_pthread_kill = (__typeof__(real_pthread_kill))old;
}

static void resolve_row(const struct row *row, int minor)
{
	void *next = row->since <= minor ? find_next(row, minor) : NULL;

	if (next)
		*row->real = next;
}

static long missing(void)
{
	errno = ENOSYS;
	return -1;
}

void *resolve_early(void **real)
{
	const void *early = *real;
	int saved_errno = errno;
	size_t i = 0;

	while (rows[i].real != real)
		i++;
	resolve_row(&rows[i], minor_of_version(gnu_get_libc_version()));
	if (*real == early)
		forget_failures();
	errno = saved_errno;
	return *real == early ? (void *)missing : *real;
}

void resolve_all(void)
{
	int minor = minor_of_version(gnu_get_libc_version());

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		resolve_row(&rows[i], minor);
	if (program_needs_libpthread())
		take_old_pthread_kill();
	forget_failures();
}

int resolve_is_libc(const void *function)
{
	const void *libc = dlsym(RTLD_NEXT, "gnu_get_libc_version");

	return libc && is_same_object(function, libc);
}

/* A runtime that came with dlopen(RTLD_LOCAL) is not behind us in the order of all: then
 * the caller's own scope has it. Two such objects may have a runtime each, so this is
 * not remembered. */
static cold void *look_up(void **real, const char *name, void *caller)
{
	struct lane_context *context = lane_begin_own_work();
	void *address, *object = NULL;
	Dl_info info;

	address = dlsym(RTLD_NEXT, name);
	if (address) {
		/* relaxed: all threads find the same */
		__atomic_store_n(real, address, __ATOMIC_RELAXED);
	} else if (dladdr1(caller, &info, &object, RTLD_DL_LINKMAP) && object) {
		address = dlsym(object, name);
		if (address && is_same_object(address, rows))
			address = NULL;
	}
	forget_failures();
	lane_end_own_work(context);
	return address;
}

void *resolve_late(void **real, const char *name, void *caller)
{
	void *address = __atomic_load_n(real, __ATOMIC_RELAXED);

	return likely(address) ? address : look_up(real, name, caller);
}
