/* SPDX-License-Identifier: MIT */
/* Reading and writing what a descriptor leads to. */
#include "shim/wrap/io/io_call.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "shim/io/descriptors.h"
#include "shim/wrap/real.h"

/* Of the second kind offset -1 means that of the descriptor. */
static int64_t second(off64_t at)
{
	return at == -1 ? IO_NEXT : at;
}

exported ssize_t preadv2(int descriptor, const struct iovec *parts, int count, off_t at,
			 int flags)
{
	return IO_CALL(preadv, descriptor, second(at),
		       real_preadv2(descriptor, parts, count, at, flags));
}

exported ssize_t preadv64v2(int descriptor, const struct iovec *parts, int count,
			    off64_t at, int flags)
{
	return IO_CALL(preadv, descriptor, second(at),
		       real_preadv64v2(descriptor, parts, count, at, flags));
}

exported ssize_t pwritev2(int descriptor, const struct iovec *parts, int count, off_t at,
			  int flags)
{
	return IO_CALL(pwritev, descriptor, second(at),
		       real_pwritev2(descriptor, parts, count, at, flags));
}

exported ssize_t pwritev64v2(int descriptor, const struct iovec *parts, int count,
			     off64_t at, int flags)
{
	return IO_CALL(pwritev, descriptor, second(at),
		       real_pwritev64v2(descriptor, parts, count, at, flags));
}

/* What copies is booked on both descriptors: calls, and bytes. */
#define IO_CALL_COPY(name, to, to_at, from, from_at, expression)                         \
	({                                                                               \
		uintptr_t copy_stack = (uintptr_t)__builtin_dwarf_cfa();                 \
		int copy_is_open = libc_call_begin(LIBC_CALL_##name, copy_stack);        \
		ssize_t result = (io_call_send(LIBC_CALL_##name, to), (expression));     \
                                                                                         \
		if (copy_is_open)                                                        \
			io_call_end_copy(LIBC_CALL_##name, copy_stack, to,               \
					 began_at(to_at, result), from,                  \
					 began_at(from_at, result), result);             \
		result;                                                                  \
	})

/* The kernel has moved the offset on, if it could read it at all. */
static int64_t began_at(const off64_t *at, ssize_t moved)
{
	return at && moved >= 0 ? *at - moved : IO_NEXT;
}

exported ssize_t sendfile(int to, int from, off_t *at, size_t size)
{
	return IO_CALL_COPY(sendfile, to, NULL, from, at,
			    real_sendfile(to, from, at, size));
}

exported ssize_t sendfile64(int to, int from, off64_t *at, size_t size)
{
	return IO_CALL_COPY(sendfile, to, NULL, from, at,
			    real_sendfile64(to, from, at, size));
}

exported ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at,
				 size_t size, unsigned int flags)
{
	return IO_CALL_COPY(copy_file_range, to, to_at, from, from_at,
			    real_copy_file_range(from, from_at, to, to_at, size, flags));
}

exported ssize_t splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
			unsigned int flags)
{
	return IO_CALL_COPY(splice, to, to_at, from, from_at,
			    real_splice(from, from_at, to, to_at, size, flags));
}

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

exported off_t lseek(int descriptor, off_t by, int whence)
{
	return seek(descriptor, by, whence, real_lseek(descriptor, by, whence));
}

exported off64_t lseek64(int descriptor, off64_t by, int whence)
{
	return seek(descriptor, by, whence, real_lseek64(descriptor, by, whence));
}

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

exported int accept(int descriptor, __SOCKADDR_ARG peer, socklen_t *restrict peer_size)
{
	return IO_CALL_MOVED(accept, descriptor, IO_NEXT,
			     real_accept(descriptor, peer, peer_size),
			     begin_server(result));
}

exported int accept4(int descriptor, __SOCKADDR_ARG peer, socklen_t *restrict peer_size,
		     int flags)
{
	return IO_CALL_MOVED(accept, descriptor, IO_NEXT,
			     real_accept4(descriptor, peer, peer_size, flags),
			     begin_server(result));
}

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
