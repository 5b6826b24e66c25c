/* SPDX-License-Identifier: MIT */
/* Descriptors: reading and writing what they lead to, sockets, opening and closing,
 * bringing files to the disk, directories. Those with __x are in programs that were
 * linked with a glibc before 2.33. */
#include "shim/wrap/io/io_call.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "shim/io/descriptors.h"
#include "shim/wrap/real.h"

/* Of the second kind offset -1 means that of the descriptor. */
static int64_t second(off64_t at)
{
	return at == -1 ? IO_NEXT : at;
}

#define READ_SECOND(name, descriptor, parts, count, at, flags)                           \
	IO_CALL(preadv, descriptor, second(at),                                          \
		real_##name(descriptor, parts, count, at, flags))
#define WRITE_SECOND(name, descriptor, parts, count, at, flags)                          \
	IO_CALL(pwritev, descriptor, second(at),                                         \
		real_##name(descriptor, parts, count, at, flags))

/* What copies is booked on both descriptors: calls, and bytes. */
#define IO_CALL_COPY(name, to, to_at, from, from_at, expression)                         \
	IO_CALL_ENDED(name, (io_call_send(LIBC_CALL_##name, to), (expression)),          \
		      io_call_end_copy(call, stack, to, began_at(to_at, result), from,   \
				       began_at(from_at, result), result))

/* The kernel has moved the offset on, if it could read it at all. */
static int64_t began_at(const off64_t *at, ssize_t moved)
{
	return at && moved >= 0 ? *at - moved : IO_NEXT;
}

#define SEND_FILE(name, to, from, at, size)                                              \
	IO_CALL_COPY(sendfile, to, NULL, from, at, real_##name(to, from, at, size))

#define COPY(name, from, from_at, to, to_at, size, flags)                                \
	IO_CALL_COPY(name, to, to_at, from, from_at,                                     \
		     real_##name(from, from_at, to, to_at, size, flags))

/* What it copies stays where it is, and is read later. */
exported ssize_t tee(int from, int to, size_t size, unsigned int flags)
{
	return IO_CALL(
		tee, to, IO_NEXT,
		(io_call_send(LIBC_CALL_tee, to), real_tee(from, to, size, flags)));
}

exported int eventfd_read(int descriptor, eventfd_t *ret_value)
{
	return IO_CALL_MOVED(read, descriptor, IO_NEXT,
			     real_eventfd_read(descriptor, ret_value),
			     result == 0 ? (int64_t)sizeof(*ret_value) : -1);
}

exported int eventfd_write(int descriptor, eventfd_t value)
{
	return IO_CALL_MOVED(write, descriptor, IO_NEXT,
			     (io_call_send(LIBC_CALL_write, descriptor),
			      real_eventfd_write(descriptor, value)),
			     result == 0 ? (int64_t)sizeof(value) : -1);
}

/* No node: only what is read next is at another place. A new offset is one that is not
 * where the descriptor was believed to be. */
static off64_t seek(int descriptor, off64_t by, int whence, off64_t result)
{
	struct descriptor *known = descriptors_known(descriptor);

	if (!known || result < 0)
		return result;
	if (known->offset != (uint64_t)result && (whence != SEEK_CUR || by))
		known->is_moved = 1;
	known->offset = (uint64_t)result;
	return result;
}

#define SEEK(name, descriptor, by, whence)                                               \
	seek(descriptor, by, whence, real_##name(descriptor, by, whence))

/* The kernel has written the length of each message that it took or gave. */
static int64_t moved_by(const struct mmsghdr *messages, int count)
{
	int64_t bytes = count < 0 ? -1 : 0;

	for (int i = 0; i < count; i++)
		bytes += messages[i].msg_len;
	return bytes;
}

exported int sendmmsg(int descriptor, struct mmsghdr *messages, unsigned int count,
		      int flags)
{
	return IO_CALL_MOVED(sendmmsg, descriptor, IO_NEXT,
			     (io_call_send(LIBC_CALL_sendmmsg, descriptor),
			      real_sendmmsg(descriptor, messages, count, flags)),
			     moved_by(messages, result));
}

exported int recvmmsg(int descriptor, struct mmsghdr *messages, unsigned int count,
		      int flags, struct timespec *timeout)
{
	return IO_CALL_MOVED(recvmmsg, descriptor, IO_NEXT,
			     real_recvmmsg(descriptor, messages, count, flags, timeout),
			     moved_by(messages, result));
}

/* No node: it waits for nothing. */
exported int socketpair(int domain, int type, int protocol, int ends[2])
{
	int result = real_socketpair(domain, type, protocol, ends);

	if (result == 0 && libc_call_is_wanted)
		io_call_pair(ends);
	return result;
}

/* Whatever had the number before has been closed, by libc itself perhaps. */
static int64_t begin_server(int descriptor)
{
	struct descriptor *known = descriptor < 0 ? NULL : descriptors_at(descriptor);

	if (known)
		*known = (struct descriptor){.is_server = 1};
	return descriptor < 0 ? -1 : 0;
}

#define ACCEPT(name, descriptor, ...)                                                    \
	IO_CALL_MOVED(accept, descriptor, IO_NEXT, real_##name(descriptor, __VA_ARGS__), \
		      begin_server(result))

/* From here on the descriptor has another name. Without an answer yet it has none, and is
 * asked again. */
static int64_t begin_client(int descriptor, int result)
{
	descriptors_forget(descriptor);
	return result;
}

exported int connect(int descriptor, __CONST_SOCKADDR_ARG peer, socklen_t peer_size)
{
	return IO_CALL_MOVED(connect, descriptor, IO_NEXT,
			     real_connect(descriptor, peer, peer_size),
			     begin_client(descriptor, result));
}

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

/* A function whose last fixed parameter is flags; arguments: up to that. */
#define OPENS(name, call, parameters, ...)                                               \
	exported int name parameters                                                     \
	{                                                                                \
		mode_t mode = MODE_OF(flags);                                            \
                                                                                         \
		return IO_CALL_OPEN(call, path, real_##name(__VA_ARGS__, mode));         \
	}

OPENS(open, open, (const char *path, int flags, ...), path, flags)
OPENS(open64, open, (const char *path, int flags, ...), path, flags)
OPENS(openat, openat, (int directory, const char *path, int flags, ...), directory, path,
      flags)
OPENS(openat64, openat, (int directory, const char *path, int flags, ...), directory,
      path, flags)

#define OPEN_AT(name, directory, path, flags)                                            \
	IO_CALL_OPEN(openat, path, real_##name(directory, path, flags))

/* Forgotten before, and after, too: another thread may use the number in between. */
exported int close(int descriptor)
{
	uint32_t target;

	return IO_CALL_ENDED(close,
			     (target = io_call_leave(descriptor), real_close(descriptor)),
			     io_call_end_on(call, stack, target, result));
}

static void forget_other(int from, int to)
{
	if (from != to)
		descriptors_forget(to);
}

#define DUPLICATE(name, from, to, ...)                                                   \
	(forget_other(from, to), real_##name(from, to, ##__VA_ARGS__))

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

	return IO_CALL_ENDED(
		msync, real_msync(start, size, flags),
		io_call_end_on(call, stack,
			       targets_find(SEGMENT_TARGET_OTHER, name, sizeof(name) - 1),
			       result));
}

#define FILE_STATUS(name, version, descriptor, ret)                                      \
	IO_CALL(fstat, descriptor, IO_NEXT, real_##name(version, descriptor, ret))

/* These return the error. */
#define ALLOCATE(name, descriptor, at, size)                                             \
	IO_CALL_MOVED(fallocate, descriptor, IO_NEXT, real_##name(descriptor, at, size), \
		      result ? -1 : 0)

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

#define READ_ENTRY(name, stream)                                                         \
	(is_null(stream) || has_entry(stream)                                            \
		 ? real_##name(stream)                                                   \
		 : IO_CALL_MOVED(readdir, dirfd(stream), IO_NEXT, real_##name(stream),   \
				 0))

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
	return IO_CALL_ENDED(
		opendir, real_opendir(path),
		io_call_end_open(call, stack, result ? dirfd(result) : -1, path));
}

exported int closedir(DIR *stream)
{
	uint32_t target;

	if (is_null(stream))
		return real_closedir(stream);
	return IO_CALL_ENDED(
		closedir, (target = io_call_leave(dirfd(stream)), real_closedir(stream)),
		io_call_end_on(call, stack, target, result));
}

#define WRAPPED_DESCRIPTOR WRAPPER_ROW

#include "shim/wrap/wrapped.def"
