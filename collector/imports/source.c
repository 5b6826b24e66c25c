/* SPDX-License-Identifier: MIT */
/* Reading and unpacking, with an end to it. */
#include "collector/imports/source.h"

#include "common/base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define GZIP (15 + 16)
#define FIRST_BYTES 65536

static int too_large(char *error, size_t error_size)
{
	snprintf(error, error_size, "has more than %llu MiB of data, which is the limit",
		 SOURCE_BYTES_MOST >> 20);
	return -EFBIG;
}

/* Room for more, and for the NUL. */
static void grow(struct source *source, size_t *capacity)
{
	*capacity = *capacity ? *capacity * 2 : FIRST_BYTES;
	source->data = xreallocarray(source->data, *capacity + 1, 1);
}

static int read_all(struct source *ret, int fd, char *error, size_t error_size)
{
	size_t capacity = 0;
	ssize_t got;

	do {
		if (ret->size > SOURCE_BYTES_MOST)
			return too_large(error, error_size);
		if (ret->size == capacity)
			grow(ret, &capacity);
		got = read(fd, ret->data + ret->size, capacity - ret->size);
		if (got > 0)
			ret->size += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	ret->data[ret->size] = 0;
	if (got == 0)
		return 0;
	got = -errno;
	snprintf(error, error_size, "cannot be read: %s", strerror((int)-got));
	return (int)got;
}

static int inflate_all(struct source *ret, z_stream *stream, char *error,
		       size_t error_size)
{
	size_t capacity = 0;
	int result = Z_OK;

	while (result == Z_OK || (result == Z_STREAM_END && stream->avail_in)) {
		if (result == Z_STREAM_END && inflateReset(stream) != Z_OK)
			break; /* one archive behind the other is one file */
		if (ret->size > SOURCE_BYTES_MOST)
			return too_large(error, error_size);
		if (ret->size == capacity)
			grow(ret, &capacity);
		stream->next_out = (unsigned char *)ret->data + ret->size;
		stream->avail_out = (unsigned)(capacity - ret->size);
		result = inflate(stream, Z_NO_FLUSH);
		ret->size = capacity - stream->avail_out;
	}
	ret->data[ret->size] = 0;
	if (result == Z_STREAM_END)
		return 0;
	snprintf(error, error_size, "is a damaged or cut gzip archive");
	return -EBADMSG;
}

int source_unpack(struct source *ret, const void *data, size_t size, char *error,
		  size_t error_size)
{
	const unsigned char *bytes = data;
	z_stream stream = {.next_in = (unsigned char *)(uintptr_t)bytes,
			   .avail_in = (unsigned)size};
	int result;

	*ret = (struct source){0};
	if (size < 2 || bytes[0] != 0x1f || bytes[1] != 0x8b) {
		ret->data = memcpy(xmalloc(size + 1), size ? data : "", size);
		ret->data[size] = 0;
		ret->size = size;
		return 0;
	}
	if (inflateInit2(&stream, GZIP) != Z_OK) {
		snprintf(error, error_size, "cannot be unpacked");
		return -ENOMEM;
	}
	result = inflate_all(ret, &stream, error, error_size);
	inflateEnd(&stream);
	if (result < 0)
		source_done(ret);
	return result;
}

static int open_source(const char *path, char *error, size_t error_size)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	fd = -errno;
	snprintf(error, error_size, "cannot be opened: %s", strerror(-fd));
	return fd;
}

int source_read(struct source *ret, const char *path, char *error, size_t error_size)
{
	int fd = open_source(path, error, error_size), result;
	struct source packed = {0};

	*ret = (struct source){0};
	if (fd < 0)
		return fd;
	result = read_all(&packed, fd, error, error_size);
	if (fd != STDIN_FILENO)
		close(fd);
	if (result == 0 && packed.size > 1 && (unsigned char)packed.data[0] == 0x1f &&
	    (unsigned char)packed.data[1] == 0x8b) {
		result = source_unpack(ret, packed.data, packed.size, error, error_size);
	} else if (result == 0) {
		*ret = packed;
		return 0;
	}
	source_done(&packed);
	return result;
}

void source_done(struct source *source)
{
	free(source->data);
	*source = (struct source){0};
}
