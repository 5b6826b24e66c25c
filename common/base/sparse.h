/* SPDX-License-Identifier: MIT */
/*
 * A sparse file in memory: what is stored of it, without its holes and most of its zeros.
 * Runs on: any thread, one at a time. Must not believe a number of what it is made of.
 *
 * A segment file is terabytes long, has some pages, and of these the fewest bytes are not
 * zero. An image has those, at the same offsets, and knows what was a hole: a reader of
 * the image finds what it would find in the file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Bytes of an image at most. */
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
	const struct sparse_piece *pieces; /* within what is stored; else it is zero */
	const uint8_t *data;
	uint32_t stored_count, piece_count;
};

/* An image of the file. 0, -EFBIG: it would have more than SPARSE_MOST bytes, or -errno.
 * Free with sparse_done(). */
int sparse_take(struct sparse *ret, int fd);

/* An image of the bytes of another's flat, which it owns from here on, even when they are
 * none: -EINVAL. */
int sparse_from_flat(struct sparse *ret, void *flat, size_t flat_bytes);

void sparse_done(struct sparse *image);

/* As pread(), of a file that is never cut: how many bytes there are. */
size_t sparse_read(const struct sparse *image, uint64_t offset, void *to, size_t size);

/* End of what is stored from offset on without a hole; offset: nothing is. */
uint64_t sparse_stored_end(const struct sparse *image, uint64_t offset);
