/* SPDX-License-Identifier: MIT */
/*
 * Directories. An entry that libc has read already is no call: glibc's DIR says so, whose
 * layout is no promise. What does not look like it makes each readdir() a node.
 */
#include "shim/wrap/io/io_call.h"

#include <dirent.h>
#include <string.h>

#include "shim/io/descriptors.h"
#include "shim/wrap/real.h"

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
