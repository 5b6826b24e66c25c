/* SPDX-License-Identifier: MIT */
/*
 * What the real functions are before the constructor has found them. Runs on: any thread
 * and context. Must not call libc.
 */
#include "shim/wrap/real.h"

#include <errno.h>

#include "shim/core/syscall.h"
#include "shim/memory/early_heap.h"

static long missing(void)
{
	errno = ENOSYS;
	return -1;
}

/* Nobody else is there to lock out. */
static int early_lock(void)
{
	return 0;
}

static int early_find(void)
{
	return -1;
}

static int early_once(pthread_once_t *once, void (*initialise)(void))
{
	if (!*once)
		initialise();
	*once = 2; /* done, to glibc */
	return 0;
}

static long set_errno(long result)
{
	if (!syscall_failed(result))
		return result;
	errno = (int)-result;
	return -1;
}

static long own_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	return set_errno(syscall_raw(number, a, b, c, d, e, f));
}

static int own_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
		     unsigned long d)
{
	return (int)set_errno(SYSCALL(SYS_prctl, option, a, b, c, d, 0));
}

/* An allocator that is preloaded, too, may map memory before every constructor. */
static void *own_mmap(void *address, size_t size, int protection, int flags, int file,
		      off_t offset)
{
	return (void *)set_errno(
		SYSCALL(SYS_mmap, address, size, protection, flags, file, offset));
}

static void *own_mremap(void *address, size_t old_size, size_t size, int flags, void *to)
{
	return (void *)set_errno(
		SYSCALL(SYS_mremap, address, old_size, size, flags, to, 0));
}

#define WRAPPED(name) WRAPPED_ELSE(name, missing)
#define WRAPPED_AT(name, version) WRAPPED_ELSE(name, missing)
#define WRAPPED_SINCE(name, minor) WRAPPED_ELSE(name, missing)
#define WRAPPED_ELSE(name, other) __typeof__(name) *real_##name = (void *)(other);
#define LATE(name) __typeof__(name) *real_##name;
#define OWN(name)
#include "shim/wrap/wrapped.def"
