/* SPDX-License-Identifier: MIT */
/* Sockets: what they send and receive, and how they come to be connected. */
#include "shim/wrap/io/io_call.h"

#include <sys/socket.h>

#include "shim/io/descriptors.h"
#include "shim/wrap/real.h"

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
