/* SPDX-License-Identifier: MIT */
/* Records of ended images: written completely or not at all, and read with suspicion. */
#include "collector/read/ended.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "collector/read/rundir.h"
#include "common/base/xalloc.h"

#define FILE_MAGIC 0x3130646e65667270ull   /* "prfend01" */
#define RECORD_MAGIC 0x3130746b65667270ull /* "prfekt01" */

#define FASTEST 1

static int write_at(int fd, uint64_t offset, const void *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t wrote = pwrite(fd, (const char *)data + done, size - done,
				       (off_t)(offset + done));

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return wrote < 0 ? -errno : -EIO;
		done += (size_t)wrote;
	}
	return 0;
}

static int begin_file(struct ended_writer *writer, int directory_fd)
{
	const struct ended_header header = {FILE_MAGIC, writer->token};
	int result;

	result = rundir_create_file(directory_fd, ENDED_NAME);
	if (result < 0)
		return result;
	close(result);
	/* a removed spool is rebuilt from what is still open */
	writer->fd = rundir_open_file(directory_fd, ENDED_NAME, O_RDWR);
	if (writer->fd < 0) {
		result = writer->fd;
		writer->fd = -1;
		return result;
	}
	writer->size = sizeof(header);
	result = write_at(writer->fd, 0, &header, sizeof(header));
	if (result < 0) {
		close(writer->fd);
		writer->fd = -1;
	}
	return result;
}

/* Writes the head last: only that makes it a record. */
static int write_record(struct ended_writer *writer, const struct ended_record *record,
			const void *packed)
{
	uint64_t end = writer->size + sizeof(*record) + record->packed_bytes;
	int result = write_at(writer->fd, writer->size + sizeof(*record), packed,
			      record->packed_bytes);

	if (result == 0)
		result = write_at(writer->fd, writer->size, record, sizeof(*record));
	if (result == 0)
		writer->size = end;
	else if (ftruncate(writer->fd, (off_t)writer->size) < 0)
		result = -errno;
	return result;
}

int ended_append(struct ended_writer *writer, int directory_fd, struct ended_place *place,
		 const struct sparse *image)
{
	struct ended_record record = {.magic = RECORD_MAGIC,
				      .flat_bytes = image->flat_bytes,
				      .start_ticks = place->start_ticks,
				      .name_hash = place->name_hash};
	uLongf packed_bytes = compressBound(image->flat_bytes);
	int result = writer->fd < 0 ? begin_file(writer, directory_fd) : 0;
	auto_free void *packed = NULL;

	if (result < 0)
		return result;
	place->at = writer->size;
	packed = xmalloc(packed_bytes);
	if (compress2(packed, &packed_bytes, image->flat, image->flat_bytes, FASTEST) ==
	    Z_OK) {
		record.packed_bytes = packed_bytes;
		record.checksum = (uint32_t)crc32(0, packed, (uInt)packed_bytes);
		result = write_record(writer, &record, packed);
	} else {
		result = -ENOMEM;
	}
	return result;
}

static int read_at(int fd, uint64_t offset, void *to, size_t size)
{
	return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Lists new records. One whose writing goes on, or was cut off, has no magic yet. */
void ended_refresh(struct ended *ended)
{
	struct ended_record record;

	while (ended->fd >= 0 &&
	       read_at(ended->fd, ended->end, &record, sizeof(record)) &&
	       record.magic == RECORD_MAGIC && record.packed_bytes <= SPARSE_MOST) {
		ARRAY_ADD(ended->places, ended->count) = (struct ended_place){
			ended->end, record.start_ticks, record.name_hash};
		ended->end += sizeof(record) + record.packed_bytes;
	}
}

int ended_open(struct ended *ret, int directory_fd, uint64_t token)
{
	struct ended_header header;

	*ret = (struct ended){.fd = rundir_open_file(directory_fd, ENDED_NAME, O_RDONLY)};
	if (ret->fd < 0)
		return ret->fd == -ENOENT ? 0 : ret->fd;
	if (!read_at(ret->fd, 0, &header, sizeof(header)) || header.magic != FILE_MAGIC ||
	    header.token != token) {
		ended_close(ret);
		return -EINVAL;
	}
	ret->end = sizeof(header);
	ended_refresh(ret);
	return 0;
}

void ended_close(struct ended *ended)
{
	if (ended->fd >= 0)
		close(ended->fd);
	free(ended->places);
	sparse_done(&ended->image);
	*ended = (struct ended){.fd = -1};
}

/* Unpacks a record. Owned by the caller (free); NULL: it is damaged. */
static void *unpack(const struct ended *ended, uint64_t at, struct ended_record *record)
{
	uLongf flat_bytes;
	void *packed, *flat;
	int is_whole;

	if (!read_at(ended->fd, at, record, sizeof(*record)) ||
	    record->packed_bytes > SPARSE_MOST || record->flat_bytes > SPARSE_MOST)
		return NULL;
	flat_bytes = record->flat_bytes;
	packed = xmalloc(record->packed_bytes);
	flat = xmalloc(record->flat_bytes);
	is_whole =
		read_at(ended->fd, at + sizeof(*record), packed, record->packed_bytes) &&
		crc32(0, packed, (uInt)record->packed_bytes) == record->checksum &&
		uncompress(flat, &flat_bytes, packed, record->packed_bytes) == Z_OK &&
		flat_bytes == record->flat_bytes;
	free(packed);
	if (is_whole)
		return flat;
	free(flat);
	return NULL;
}

const struct sparse *ended_image(struct ended *ended, uint64_t at)
{
	struct ended_record record;
	void *flat;

	if (ended->image_at == at)
		return &ended->image;
	sparse_done(&ended->image);
	ended->image_at = 0;
	flat = unpack(ended, at, &record);
	if (!flat || sparse_from_flat(&ended->image, flat, record.flat_bytes) < 0)
		return NULL;
	ended->image_at = at;
	return &ended->image;
}
