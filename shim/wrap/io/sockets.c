/* SPDX-License-Identifier: MIT */
/* Sockets: what they send and receive, and how they come to be connected. */
#include "shim/wrap/io/io_call.h"

#include <sys/socket.h>

#include "shim/io/descriptors.h"
#include "shim/wrap/real.h"

exported ssize_t send(int descriptor, const void *from, size_t size, int flags)
{
	return IO_CALL(send, descriptor, IO_NEXT,
		       (io_call_send(LIBC_CALL_send, descriptor),
			real_send(descriptor, from, size, flags)));
}

exported ssize_t recv(int descriptor, void *to, size_t size, int flags)
{
	return IO_CALL(recv, descriptor, IO_NEXT, real_recv(descriptor, to, size, flags));
}

exported ssize_t __recv_chk(int descriptor, void *to, size_t size, size_t room, int flags)
{
	return IO_CALL(recv, descriptor, IO_NEXT,
		       real___recv_chk(descriptor, to, size, room, flags));
}

exported ssize_t sendto(int descriptor, const void *from, size_t size, int flags,
			__CONST_SOCKADDR_ARG peer, socklen_t peer_size)
{
	return IO_CALL(sendto, descriptor, IO_NEXT,
		       (io_call_send(LIBC_CALL_sendto, descriptor),
			real_sendto(descriptor, from, size, flags, peer, peer_size)));
}

exported ssize_t recvfrom(int descriptor, void *restrict to, size_t size, int flags,
			  __SOCKADDR_ARG peer, socklen_t *restrict peer_size)
{
	return IO_CALL(recvfrom, descriptor, IO_NEXT,
		       real_recvfrom(descriptor, to, size, flags, peer, peer_size));
}

exported ssize_t __recvfrom_chk(int descriptor, void *restrict to, size_t size,
				size_t room, int flags, __SOCKADDR_ARG peer,
				socklen_t *restrict peer_size)
{
	return IO_CALL(
		recvfrom, descriptor, IO_NEXT,
		real___recvfrom_chk(descriptor, to, size, room, flags, peer, peer_size));
}

exported ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags)
{
	return IO_CALL(sendmsg, descriptor, IO_NEXT,
		       (io_call_send(LIBC_CALL_sendmsg, descriptor),
			real_sendmsg(descriptor, message, flags)));
}

exported ssize_t recvmsg(int descriptor, struct msghdr *message, int flags)
{
	return IO_CALL(recvmsg, descriptor, IO_NEXT,
		       real_recvmsg(descriptor, message, flags));
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
