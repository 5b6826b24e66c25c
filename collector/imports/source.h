/* SPDX-License-Identifier: MIT */
/* A file to be imported, whole and unpacked. Must not know formats. */
#pragma once

#include <stddef.h>

/* What is read at most, after unpacking: more is refused. */
#define SOURCE_BYTES_MOST (512ull << 20)

struct source {
	char *data; /* owned; a NUL stands behind it */
	size_t size;
};

/* Reads path ("-": standard input) to its end; what is gzipped is unpacked. 0, or -errno
 * with a sentence: more than SOURCE_BYTES_MOST, damaged or not readable. */
int source_read(struct source *ret, const char *path, char *error, size_t error_size);
/* The same of what is in memory already, as the file would be. */
int source_unpack(struct source *ret, const void *data, size_t size, char *error,
		  size_t error_size);
void source_done(struct source *source);
