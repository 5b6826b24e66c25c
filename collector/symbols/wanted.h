/* SPDX-License-Identifier: MIT */
/* Which file names are to come from, and the words for what kept them away. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The file that was mapped. Another one may lie at its path by now, put there by a build,
 * a package or somebody who means harm, so nothing is read before it was recognised: by
 * its build-id or, when it has none (size 0), by the rest. inode 0: that is not known.
 */
struct symbol_file {
	const char *path;
	const uint8_t *build_id;
	size_t build_id_size;
	uint64_t device, inode, size_bytes;
	int64_t mtime_ns;
};

/* Why names are missing; words of common/schema.sql. */
#define SYMBOLS_GONE "gone"		/* no file at the path */
#define SYMBOLS_CHANGED "changed"	/* another file at the path */
#define SYMBOLS_UNREADABLE "unreadable" /* not for this user, or not a sound ELF file */
#define SYMBOLS_UNKNOWN "unknown"	/* no path, or nothing to recognise the file by */
#define SYMBOLS_LIMIT "limit"		/* more to read than the limits allow */
