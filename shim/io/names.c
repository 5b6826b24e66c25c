/* SPDX-License-Identifier: MIT */
/* How what a descriptor leads to is called: the kernel is asked, once. */
#include "common/libc/calls.h"
#include "shim/io/descriptors.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "shim/core/gate.h"
#include "shim/core/syscall.h"

/* Where names are put together; what does not fit is cut. */
struct text {
	size_t length;
	char bytes[512];
};

static void put(struct text *text, const char *word)
{
	while (*word && text->length < sizeof(text->bytes))
		text->bytes[text->length++] = *word++;
}

static void put_number(struct text *text, uint32_t number, uint32_t base)
{
	char digits[12];
	uint32_t at = sizeof(digits) - 1;

	digits[at] = 0;
	do {
		digits[--at] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	put(text, digits + at);
}

static int begins(const struct text *text, const char *word)
{
	size_t i = 0;

	while (word[i] && i < text->length && text->bytes[i] == word[i])
		i++;
	return !word[i];
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
	struct sockaddr_storage room;
};

static void put_v4(struct text *text, const uint8_t *bytes)
{
	for (int i = 0; i < 4; i++) {
		put(text, i ? "." : "");
		put_number(text, bytes[i], 10);
	}
}

/* The longest run of zeros is not looked for: only the leading ones are left out. */
static void put_v6(struct text *text, const struct in6_addr *address)
{
	const uint8_t *bytes = address->s6_addr;
	int first = 0;

	if (IN6_IS_ADDR_V4MAPPED(address)) {
		put_v4(text, bytes + 12);
		return;
	}
	put(text, "[");
	while (first < 14 && !bytes[first] && !bytes[first + 1])
		first += 2;
	if (first)
		put(text, first > 2 ? ":" : "0");
	for (int i = first == 2 ? 2 : first; i < 16; i += 2) {
		put(text, i ? ":" : "");
		put_number(text, (uint32_t)(bytes[i] << 8 | bytes[i + 1]), 16);
	}
	put(text, "]");
}

static uint32_t port_of(const union address *address)
{
	uint16_t port = address->any.sa_family == AF_INET ? address->v4.sin_port
							  : address->v6.sin6_port;

	return (uint32_t)(uint16_t)(port >> 8 | port << 8);
}

static void put_host(struct text *text, const union address *address)
{
	if (address->any.sa_family == AF_INET)
		put_v4(text, (const uint8_t *)&address->v4.sin_addr);
	else
		put_v6(text, &address->v6.sin6_addr);
}

static void put_port(struct text *text, const union address *address)
{
	put(text, ":");
	put_number(text, port_of(address), 10);
}

static int ask(long call, int descriptor, union address *ret)
{
	uint32_t size = sizeof(*ret) - 1;
	long result;

	*ret = (union address){.any.sa_family = AF_UNSPEC};
	result = SYSCALL(call, descriptor, ret, &size, 0, 0, 0);
	return result < 0 || size < sizeof(ret->any.sa_family) ? -1 : 0;
}

static int is_internet(const union address *address)
{
	return address->any.sa_family == AF_INET || address->any.sa_family == AF_INET6;
}

static int option_of(int descriptor, int option)
{
	int value = 0;
	uint32_t size = sizeof(value);

	return SYSCALL(SYS_getsockopt, descriptor, SOL_SOCKET, option, &value, &size, 0) <
			       0
		       ? -1
		       : value;
}

/* An abstract name begins with NUL. */
static void put_local(struct text *text, const union address *own,
		      const union address *peer)
{
	const char *path = peer->local.sun_path;

	put(text, "unix");
	if (!path[0] && !path[1])
		path = own->local.sun_path;
	if (!path[0] && !path[1])
		return;
	put(text, path[0] ? " " : " @");
	put(text, path[0] ? path : path + 1);
}

/* Of a connection that was accepted the peer's port says nothing: each has another. */
static void put_socket(struct text *text, int descriptor, int is_server)
{
	int is_stream = option_of(descriptor, SO_TYPE) == SOCK_STREAM;
	union address own, peer;
	int has_peer;

	if (ask(SYS_getsockname, descriptor, &own) < 0)
		own.any.sa_family = AF_UNSPEC;
	has_peer = ask(SYS_getpeername, descriptor, &peer) == 0;
	if (own.any.sa_family == AF_UNIX) {
		put_local(text, &own, &peer);
		return;
	}
	if (!is_internet(&own)) {
		put(text, own.any.sa_family == AF_NETLINK ? "netlink" : "socket");
		return;
	}
	put(text, is_stream ? "tcp " : "udp ");
	if (has_peer && is_internet(&peer) && !is_server) {
		put_host(text, &peer);
		put_port(text, &peer);
		return;
	}
	put_port(text, &own);
	if (has_peer && is_internet(&peer)) {
		put(text, " from ");
		put_host(text, &peer);
	} else if (option_of(descriptor, SO_ACCEPTCONN) > 0) {
		put(text, " listening");
	}
}

/* Where the number says more than the link: a pipe's number is not the same twice. */
static int put_standard(struct text *text, int descriptor)
{
	static const char *const names[] = {"stdin", "stdout", "stderr"};

	if (descriptor > 2)
		return 0;
	text->length = 0;
	put(text, names[descriptor]);
	return 1;
}

#define CHANNEL_EVENT (1u << 28)
#define CHANNEL_NAMED (1u << 29)

static void put_link_name(struct text *text, int descriptor)
{
	text->length = 0;
	put(text, "/proc/self/fd/");
	put_number(text, (uint32_t)descriptor, 10);
	text->bytes[text->length] = 0;
}

static enum segment_target_kind name_it(struct text *text, int descriptor, int is_server)
{
	static const char anonymous[] = "anon_inode:";

	if (begins(text, "/dev/") && !begins(text, "/dev/shm/"))
		return SEGMENT_TARGET_DEVICE;
	if (text->bytes[0] == '/')
		return SEGMENT_TARGET_FILE;
	if (begins(text, "pipe:")) {
		put_standard(text, descriptor);
		return SEGMENT_TARGET_PIPE;
	}
	if (begins(text, "socket:")) {
		text->length = 0;
		put_socket(text, descriptor, is_server);
		return SEGMENT_TARGET_SOCKET;
	}
	if (begins(text, anonymous)) {
		size_t from = sizeof(anonymous) - 1, length = text->length;

		text->length = 0;
		for (; from < length; from++)
			if (text->bytes[from] != '[' && text->bytes[from] != ']')
				text->bytes[text->length++] = text->bytes[from];
	}
	return SEGMENT_TARGET_OTHER;
}

/* A pipe that was opened by its name. */
static uint32_t named_channel(int descriptor)
{
	struct stat status;

	if (SYSCALL(SYS_fstat, descriptor, &status, 0, 0, 0, 0) < 0 ||
	    !S_ISFIFO(status.st_mode))
		return 0;
	return CHANNEL_NAMED | ((uint32_t)status.st_ino & (CHANNEL_EVENT - 1));
}

/* The last bits of a pipe's inode, which both of its ends have. An eventfd has no number
 * but the descriptor's. */
static uint32_t channel_of(const struct text *text, int descriptor)
{
	uint32_t inode = 0;

	if (begins(text, "anon_inode:[eventfd]"))
		return CHANNEL_EVENT | (uint32_t)descriptor;
	if (text->bytes[0] == '/')
		return named_channel(descriptor);
	if (!begins(text, "pipe:["))
		return 0;
	for (size_t i = sizeof("pipe:[") - 1; i < text->length; i++)
		if (text->bytes[i] >= '0' && text->bytes[i] <= '9')
			inode = inode * 10 + (uint32_t)(text->bytes[i] - '0');
	return inode & (CHANNEL_EVENT - 1);
}

uint32_t cold targets_channel(int descriptor)
{
	uint32_t channel;

	if (!gate_enter())
		return 0;
	channel = named_channel(descriptor);
	gate_leave();
	return channel;
}

uint32_t cold targets_of_descriptor(int descriptor, int is_server, uint32_t *ret_channel)
{
	enum segment_target_kind kind = SEGMENT_TARGET_UNKNOWN;
	struct text text;
	char link[32];
	long length;

	*ret_channel = 0;
	if (!gate_enter())
		return 0;
	put_link_name(&text, descriptor);
	for (size_t i = 0; i <= text.length; i++)
		link[i] = text.bytes[i];
	length = SYSCALL(SYS_readlink, link, text.bytes, sizeof(text.bytes), 0, 0, 0);
	text.length = length > 0 ? (size_t)length : 0;
	*ret_channel = length > 0 ? channel_of(&text, descriptor) : 0;
	if (length > 0)
		kind = name_it(&text, descriptor, is_server);
	gate_leave();
	return length > 0 ? targets_find(kind, text.bytes, text.length) : 0;
}
