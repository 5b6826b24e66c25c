/* SPDX-License-Identifier: MIT */
/*
 * Images of sparse files. The flat form: a head, the ranges, the pieces, the data.
 */
#include "common/base/sparse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/xalloc.h"

/* Zeros are left out in blocks of this size: a piece takes 16 bytes. */
#define BLOCK_BYTES 64u

struct head {
	uint64_t file_bytes, allocated_bytes;
	uint32_t stored_count, piece_count, data_bytes, unused;
};

struct taking {
	int fd;
	struct head head;
	struct sparse_range *stored;
	struct sparse_piece *pieces;
	uint8_t *data;
	size_t data_room;
};

static uint8_t *room_for(struct taking *taking, size_t size)
{
	size_t needed = taking->head.data_bytes + size;

	if (needed > taking->data_room) {
		taking->data_room = needed + needed / 2;
		taking->data = xreallocarray(taking->data, taking->data_room, 1);
	}
	return taking->data + taking->head.data_bytes;
}

static int is_zero(const uint8_t *block, size_t size)
{
	return block[0] == 0 && memcmp(block, block + 1, size - 1) == 0;
}

static void add_piece(struct taking *taking, uint64_t offset, uint32_t size)
{
	ARRAY_ADD(taking->pieces, taking->head.piece_count) =
		(struct sparse_piece){offset, size, taking->head.data_bytes};
	taking->head.data_bytes += size;
}

/* Turns the bytes that were read after the data into pieces of it, in place. */
static void add_bytes(struct taking *taking, uint64_t offset, size_t size)
{
	uint8_t *from = taking->data + taking->head.data_bytes;
	size_t at = 0;

	while (at < size) {
		size_t begin = at;

		while (at < size) {
			size_t left = size - at;
			size_t block = left < BLOCK_BYTES ? left : BLOCK_BYTES;

			if (is_zero(from + at, block))
				break;
			at += block;
		}
		if (at > begin) {
			memmove(taking->data + taking->head.data_bytes, from + begin,
				at - begin);
			add_piece(taking, offset + begin, (uint32_t)(at - begin));
		} else {
			at += size - at < BLOCK_BYTES ? size - at : BLOCK_BYTES;
		}
	}
}

static int take_range(struct taking *taking, uint64_t begin, uint64_t end)
{
	ARRAY_ADD(taking->stored, taking->head.stored_count) =
		(struct sparse_range){begin, end - begin};
	while (begin < end) {
		size_t size = end - begin < 1u << 20 ? (size_t)(end - begin) : 1u << 20;
		ssize_t got;

		if (taking->head.data_bytes + size > SPARSE_MOST / 2)
			return -EFBIG;
		got = pread(taking->fd, room_for(taking, size), size, (off_t)begin);
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		add_bytes(taking, begin, (size_t)got);
		begin += (uint64_t)got;
	}
	return 0;
}

static int take_ranges(struct taking *taking)
{
	off_t begin = lseek(taking->fd, 0, SEEK_DATA), end;
	int result = 0;

	for (; begin >= 0 && result == 0; begin = lseek(taking->fd, end, SEEK_DATA)) {
		end = lseek(taking->fd, begin, SEEK_HOLE);
		if (end <= begin)
			return end < 0 ? -errno : -EIO;
		result = take_range(taking, (uint64_t)begin, (uint64_t)end);
	}
	if (result < 0 || begin >= 0)
		return result;
	return errno == ENXIO ? 0 : -errno;
}

static void *flatten(const struct taking *taking, size_t *ret_bytes)
{
	const struct head *head = &taking->head;
	size_t stored = head->stored_count * sizeof(*taking->stored);
	size_t pieces = head->piece_count * sizeof(*taking->pieces);
	char *flat = xmalloc(sizeof(*head) + stored + pieces + head->data_bytes);

	*ret_bytes = sizeof(*head) + stored + pieces + head->data_bytes;
	memcpy(flat, head, sizeof(*head));
	if (stored)
		memcpy(flat + sizeof(*head), taking->stored, stored);
	if (pieces)
		memcpy(flat + sizeof(*head) + stored, taking->pieces, pieces);
	if (head->data_bytes)
		memcpy(flat + sizeof(*head) + stored + pieces, taking->data,
		       head->data_bytes);
	return flat;
}

int sparse_take(struct sparse *ret, int fd)
{
	struct taking taking = {.fd = fd};
	struct stat status;
	size_t bytes = 0;
	int result = fstat(fd, &status) < 0 ? -errno : 0;
	void *flat = NULL;

	*ret = (struct sparse){.flat = NULL};
	if (result == 0)
		result = take_ranges(&taking);
	if (result == 0) {
		taking.head.file_bytes = (uint64_t)status.st_size;
		taking.head.allocated_bytes = (uint64_t)status.st_blocks * 512;
		flat = flatten(&taking, &bytes);
	}
	free(taking.stored);
	free(taking.pieces);
	free(taking.data);
	return result < 0 ? result : sparse_from_flat(ret, flat, bytes);
}

/* Are the pieces in order, and each within the data? */
static int are_pieces_whole(const struct sparse *image, uint32_t data_bytes)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < image->stored_count; i++) {
		const struct sparse_range *range = &image->stored[i];

		if (range->offset < end || range->size > INT64_MAX - range->offset)
			return 0;
		end = range->offset + range->size;
	}
	end = 0;
	for (uint32_t i = 0; i < image->piece_count; i++) {
		const struct sparse_piece *piece = &image->pieces[i];

		if (piece->offset < end || piece->offset > INT64_MAX ||
		    piece->at > data_bytes || piece->size > data_bytes - piece->at)
			return 0;
		end = piece->offset + piece->size;
	}
	return 1;
}

int sparse_from_flat(struct sparse *ret, void *flat, size_t flat_bytes)
{
	struct head head = {.file_bytes = 0};
	uint64_t needed = sizeof(head);

	*ret = (struct sparse){.flat = flat, .flat_bytes = flat_bytes};
	if (flat_bytes >= sizeof(head))
		memcpy(&head, flat, sizeof(head));
	needed += (uint64_t)head.stored_count * sizeof(*ret->stored) +
		  (uint64_t)head.piece_count * sizeof(*ret->pieces) + head.data_bytes;
	ret->file_bytes = head.file_bytes;
	ret->allocated_bytes = head.allocated_bytes;
	ret->stored_count = head.stored_count;
	ret->piece_count = head.piece_count;
	ret->stored = (const void *)((char *)flat + sizeof(head));
	if (needed == flat_bytes) {
		ret->pieces = (const void *)(ret->stored + head.stored_count);
		ret->data = (const void *)(ret->pieces + head.piece_count);
		if (are_pieces_whole(ret, head.data_bytes))
			return 0;
	}
	sparse_done(ret);
	return -EINVAL;
}

void sparse_done(struct sparse *image)
{
	free(image->flat);
	*image = (struct sparse){.flat = NULL};
}

/* The first piece that ends after offset. */
static uint32_t find_piece(const struct sparse *image, uint64_t offset)
{
	return (uint32_t)COUNT_BEFORE(image->piece_count, i,
				      image->pieces[i].offset + image->pieces[i].size <=
					      offset);
}

size_t sparse_read(const struct sparse *image, uint64_t offset, void *to, size_t size)
{
	if (offset >= image->file_bytes)
		return 0;
	if (size > image->file_bytes - offset)
		size = (size_t)(image->file_bytes - offset);
	memset(to, 0, size);
	for (uint32_t i = find_piece(image, offset); i < image->piece_count; i++) {
		const struct sparse_piece *piece = &image->pieces[i];
		uint64_t begin = piece->offset > offset ? piece->offset : offset;
		uint64_t end = piece->offset + piece->size;

		if (begin >= offset + size)
			break;
		if (end > offset + size)
			end = offset + size;
		memcpy((char *)to + (begin - offset),
		       image->data + piece->at + (begin - piece->offset),
		       (size_t)(end - begin));
	}
	return size;
}

uint64_t sparse_stored_end(const struct sparse *image, uint64_t offset)
{
	for (uint32_t i = 0; i < image->stored_count; i++) {
		const struct sparse_range *range = &image->stored[i];

		if (offset < range->offset)
			return offset;
		if (offset < range->offset + range->size)
			return range->offset + range->size;
	}
	return offset;
}
