/* SPDX-License-Identifier: MIT */
/* Opening and closing descriptors, and bringing files to the disk. Those with __x are in
 * programs that were linked with a glibc before 2.33. */
#include "shim/wrap/io/io_call.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "shim/io/descriptors.h"
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

/*
 * Directories. An entry that libc has read already is no call: glibc's DIR says so, whose
 * layout is no promise. What does not look like it makes each readdir() a node.
 */

/* glibc's */
struct directory {
	int descriptor;
	int lock;
	size_t allocated, size, offset; /* of the entries behind it */
};

#define ALLOCATED_LEAST 1024u
#define ALLOCATED_MOST (16u << 20)

static int has_entry(DIR *stream)
{
	struct directory directory;

	memcpy(&directory, stream, sizeof(directory));
	return directory.allocated >= ALLOCATED_LEAST &&
	       directory.allocated <= ALLOCATED_MOST &&
	       directory.size <= directory.allocated && directory.offset < directory.size;
}

/* The headers say that they are never given NULL; programs do it all the same. */
static int is_null(const void *argument)
{
	__asm__("" : "+r"(argument));
	return !argument;
}

#define READ_ENTRY(name, stream, expression)                                             \
	(is_null(stream) || has_entry(stream)                                            \
		 ? (expression)                                                          \
		 : IO_CALL_MOVED(name, dirfd(stream), IO_NEXT, expression, 0))

exported struct dirent *readdir(DIR *stream)
{
	return READ_ENTRY(readdir, stream, real_readdir(stream));
}

exported struct dirent64 *readdir64(DIR *stream)
{
	return READ_ENTRY(readdir, stream, real_readdir64(stream));
}

/* What the program decides about entries is below it. */
exported int scandir(const char *restrict path, struct dirent ***restrict ret,
		     int (*choose)(const struct dirent *),
		     int (*compare)(const struct dirent **, const struct dirent **))
{
	return IO_CALL_PATH(scandir, real_scandir(path, ret, choose, compare));
}

exported int scandir64(const char *restrict path, struct dirent64 ***restrict ret,
		       int (*choose)(const struct dirent64 *),
		       int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
	return IO_CALL_PATH(scandir, real_scandir64(path, ret, choose, compare));
}

exported ssize_t getdents64(int descriptor, void *to, size_t size)
{
	return IO_CALL_MOVED(getdents64, descriptor, IO_NEXT,
			     real_getdents64(descriptor, to, size), result < 0 ? -1 : 0);
}

exported DIR *opendir(const char *path)
{
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	int is_open = libc_call_begin(LIBC_CALL_opendir, stack);
	DIR *result = real_opendir(path);

	if (is_open)
		io_call_end_open(LIBC_CALL_opendir, stack, result ? dirfd(result) : -1,
				 path);
	return result;
}

exported int closedir(DIR *stream)
{
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	uint32_t target;
	int is_open, result;

	if (is_null(stream))
		return real_closedir(stream);
	is_open = libc_call_begin(LIBC_CALL_closedir, stack);
	target = io_call_leave(dirfd(stream));
	result = real_closedir(stream);
	if (is_open)
		io_call_end_on(LIBC_CALL_closedir, stack, target, result);
	return result;
}
