/* SPDX-License-Identifier: MIT */
/*
 * A sparse file in memory: what is stored of it, without its holes and most of its zeros.
 * Runs on: any thread, one at a time. Must not trust a number in its input.
 *
 * A segment file is terabytes long, has few pages, and most of their bytes are zero. An
 * image has the others, at the same offsets, and knows the holes: reading the image gives
 * the same as reading the file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The largest image in bytes. */
#define SPARSE_MOST (64u << 20)

struct sparse_range {
	uint64_t offset, size; /* in the file */
};

struct sparse_piece {
	uint64_t offset; /* in the file */
	uint32_t size;
	uint32_t at; /* in the image's data */
};

struct sparse {
	void *flat; /* owned; the rest points into it */
	size_t flat_bytes;
	uint64_t file_bytes;	  /* length of the file */
	uint64_t allocated_bytes; /* on disk, holes not counted */
	const struct sparse_range *stored;
	const struct sparse_piece *pieces; /* parts of what is stored; the rest is zero */
	const uint8_t *data;
	uint32_t stored_count, piece_count;
};

/* Makes an image of the file. 0; -EFBIG: it would exceed SPARSE_MOST bytes; or -errno.
 * Free with sparse_done(). */
int sparse_take(struct sparse *ret, int fd);

/* Makes an image of another one's `flat`, which it owns even after -EINVAL: invalid. */
int sparse_from_flat(struct sparse *ret, void *flat, size_t flat_bytes);

void sparse_done(struct sparse *image);

/* As pread(), for a file that is never truncated: returns the number of bytes. */
size_t sparse_read(const struct sparse *image, uint64_t offset, void *to, size_t size);

/* The end of stored data from offset on, up to a hole; offset: nothing is stored. */
uint64_t sparse_stored_end(const struct sparse *image, uint64_t offset);
