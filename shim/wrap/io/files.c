/* SPDX-License-Identifier: MIT */
/* Opening and closing descriptors, and bringing files to the disk. Those with __x are in
 * programs that were linked with a glibc before 2.33. */
#include "shim/wrap/io/io_call.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "shim/io/descriptors.h"
#include "shim/io/targets.h"
#include "shim/wrap/real.h"

/* The last argument is there only when a file may be made. */
#define MODE_OF(flags)                                                                   \
	({                                                                               \
		mode_t given = 0;                                                        \
                                                                                         \
		if (((flags)&O_CREAT) || ((flags)&O_TMPFILE) == O_TMPFILE) {             \
			va_list rest;                                                    \
                                                                                         \
			va_start(rest, flags);                                           \
			given = va_arg(rest, mode_t);                                    \
			va_end(rest);                                                    \
		}                                                                        \
		given;                                                                   \
	})

exported int open(const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);

	return IO_CALL_OPEN(open, path, real_open(path, flags, mode));
}

exported int open64(const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);

	return IO_CALL_OPEN(open, path, real_open64(path, flags, mode));
}

exported int openat(int directory, const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);

	return IO_CALL_OPEN(openat, path, real_openat(directory, path, flags, mode));
}

exported int openat64(int directory, const char *path, int flags, ...)
{
	mode_t mode = MODE_OF(flags);

	return IO_CALL_OPEN(openat, path, real_openat64(directory, path, flags, mode));
}

exported int __openat_2(int directory, const char *path, int flags)
{
	return IO_CALL_OPEN(openat, path, real___openat_2(directory, path, flags));
}

exported int __openat64_2(int directory, const char *path, int flags)
{
	return IO_CALL_OPEN(openat, path, real___openat64_2(directory, path, flags));
}

/* Forgotten before, and after, too: another thread may use the number in between. */
exported int close(int descriptor)
{
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	int is_open = libc_call_begin(LIBC_CALL_close, stack);
	uint32_t target = io_call_leave(descriptor);
	int result = real_close(descriptor);

	if (is_open)
		io_call_end_on(LIBC_CALL_close, stack, target, result);
	return result;
}

exported int dup2(int from, int to)
{
	if (from != to)
		descriptors_forget(to);
	return real_dup2(from, to);
}

exported int dup3(int from, int to, int flags)
{
	if (from != to)
		descriptors_forget(to);
	return real_dup3(from, to, flags);
}

exported int close_range(unsigned int first, unsigned int last, int flags)
{
	descriptors_forget_range(first, last);
	return real_close_range(first, last, flags);
}

exported void closefrom(int first)
{
	descriptors_forget_range(first < 0 ? 0 : (unsigned int)first, UINT32_MAX);
	real_closefrom(first);
}

exported int msync(void *start, size_t size, int flags)
{
	static const char name[] = "[mapped files]";
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	int is_open = libc_call_begin(LIBC_CALL_msync, stack);
	int result = real_msync(start, size, flags);

	if (is_open)
		io_call_end_on(LIBC_CALL_msync, stack,
			       targets_find(SEGMENT_TARGET_OTHER, name, sizeof(name) - 1),
			       result);
	return result;
}

exported int __fxstat(int version, int descriptor, struct stat *ret)
{
	return IO_CALL(fstat, descriptor, IO_NEXT,
		       real___fxstat(version, descriptor, ret));
}

exported int __fxstat64(int version, int descriptor, struct stat64 *ret)
{
	return IO_CALL(fstat, descriptor, IO_NEXT,
		       real___fxstat64(version, descriptor, ret));
}

/* These return the error. */
exported int posix_fallocate(int descriptor, off_t at, off_t size)
{
	return IO_CALL_MOVED(fallocate, descriptor, IO_NEXT,
			     real_posix_fallocate(descriptor, at, size), result ? -1 : 0);
}

exported int posix_fallocate64(int descriptor, off64_t at, off64_t size)
{
	return IO_CALL_MOVED(fallocate, descriptor, IO_NEXT,
			     real_posix_fallocate64(descriptor, at, size),
			     result ? -1 : 0);
}

exported void sync(void)
{
	(void)IO_CALL_PATH(sync, (real_sync(), 0));
}
