/* SPDX-License-Identifier: MIT */
/*
 * Checked reads from one segment file with pread. Must not read whole slots: files are
 * sparse and terabytes long.
 *
 * The writer may be alive. It publishes a count after the entries are complete, and our
 * system calls are ordered. So a header that was read before its arrays never promises
 * more than the arrays hold.
 */
#include "collector/read/segment_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/xalloc.h"
#include "collector/read/rundir.h"

/* A slot changes hands within microseconds. */
#define READ_TRIES 16

/* Reads as much as there is. Returns the bytes read. */
static size_t read_at(const struct segment_reader *reader, uint64_t offset, void *to,
		      size_t size)
{
	size_t done = 0;

	if (reader->image)
		return sparse_read(reader->image, offset, to, size);

	while (done < size) {
		ssize_t got = pread(reader->fd, (char *)to + done, size - done,
				    (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static int find_size(struct segment_reader *reader)
{
	struct stat status;

	if (reader->image) {
		reader->size = reader->image->file_bytes;
		reader->allocated_bytes = reader->image->allocated_bytes;
		return 0;
	}
	if (fstat(reader->fd, &status) < 0 || !S_ISREG(status.st_mode))
		return -EINVAL;
	reader->size = (uint64_t)status.st_size;
	reader->allocated_bytes = (uint64_t)status.st_blocks * 512;
	return 0;
}

/* What comes before the slots. The whole head is 256 KiB, and the stack limit, inherited
 * from the recorded program, may be lower. */
struct head {
	char bytes[offsetof(struct segment_file, slots)];
};

static int read_head(struct segment_reader *reader, struct head *ret)
{
	return read_at(reader, 0, ret->bytes, sizeof(ret->bytes)) == sizeof(ret->bytes);
}

#define HEAD(head, member)                                                               \
	({                                                                               \
		__typeof__(((struct segment_file *)0)->member) value;                    \
                                                                                         \
		memcpy(&value, (head)->bytes + offsetof(struct segment_file, member),    \
		       sizeof(value));                                                   \
		value;                                                                   \
	})

int segment_reader_refresh(struct segment_reader *reader)
{
	struct head head;
	uint32_t limit, count;

	if (find_size(reader) < 0 || !read_head(reader, &head))
		return -EINVAL;
	reader->slot_size = HEAD(&head, slot_size);
	if (reader->slot_size < sizeof(struct segment_process) ||
	    reader->slot_size > SEGMENT_SLOT_BYTES_MOST)
		return -EINVAL;
	limit = HEAD(&head, slot_limit);
	if (limit > SEGMENT_SLOT_LIMIT)
		limit = SEGMENT_SLOT_LIMIT;
	count = HEAD(&head, slot_count);
	reader->slot_count = count < limit ? count : limit;
	reader->name_slot = HEAD(&head, name_slot);
	reader->is_reused = HEAD(&head, offered) != 0;
	return 0;
}

static int check_file(struct segment_reader *reader, uint64_t token)
{
	struct head head = {{0}};

	if (read_head(reader, &head) && HEAD(&head, magic) == SEGMENT_MAGIC_FILE &&
	    HEAD(&head, version) == SEGMENT_VERSION && HEAD(&head, token) == token &&
	    segment_reader_refresh(reader) == 0)
		return 0;
	segment_reader_close(reader);
	return HEAD(&head, magic) ? -EINVAL : -EAGAIN;
}

int segment_reader_open(struct segment_reader *ret, int directory_fd, const char *name,
			uint64_t token)
{
	*ret = (struct segment_reader){.fd = -1};
	ret->fd = rundir_open_file(directory_fd, name, O_RDONLY);
	return ret->fd < 0 ? ret->fd : check_file(ret, token);
}

int segment_reader_open_image(struct segment_reader *ret, const struct sparse *image,
			      uint64_t token)
{
	*ret = (struct segment_reader){.fd = -1, .image = image};
	return check_file(ret, token);
}

void segment_reader_close(struct segment_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
	reader->image = NULL;
}

uint32_t segment_reader_slots(const struct segment_reader *reader, uint32_t first,
			      uint32_t count, struct segment_slot *ret)
{
	uint64_t offset =
		offsetof(struct segment_file, slots) + (uint64_t)first * sizeof(*ret);

	return (uint32_t)(read_at(reader, offset, ret, count * sizeof(*ret)) /
			  sizeof(*ret));
}

int segment_reader_slot(const struct segment_reader *reader, uint32_t slot,
			struct segment_slot *ret)
{
	return segment_reader_slots(reader, slot, 1, ret) == 1 ? 0 : -EINVAL;
}

int segment_reader_bytes(const struct segment_reader *reader, uint32_t slot,
			 uint64_t offset, void *ret, size_t size)
{
	if (offset > reader->slot_size || size > reader->slot_size - offset)
		return -EINVAL;
	if (read_at(reader, slot * reader->slot_size + offset, ret, size) != size)
		return -EINVAL;
	return 0;
}

/* The end of the stored data from offset on, up to the next hole. File systems without
 * holes give the end of the file. */
static uint64_t stored_end(const struct segment_reader *reader, uint64_t offset)
{
	off_t end;

	if (offset >= reader->size)
		return offset;
	if (reader->image)
		return sparse_stored_end(reader->image, offset);
	end = lseek(reader->fd, (off_t)offset, SEEK_HOLE);
	return end < (off_t)offset ? offset : (uint64_t)end;
}

static uint32_t stored_count(const struct segment_reader *reader, uint64_t start,
			     uint32_t count, uint64_t entry_bytes)
{
	/* the missing part of the last entry reads as zero */
	uint64_t stored =
		(stored_end(reader, start) - start + entry_bytes - 1) / entry_bytes;

	return count < stored ? count : (uint32_t)stored;
}

void *segment_reader_array(const struct segment_reader *reader, uint32_t slot,
			   enum array_number number, const struct segment_array *array,
			   uint32_t *ret_count)
{
	uint64_t entry_bytes = array_kinds[number].entry_bytes;
	uint64_t start =
		slot * reader->slot_size + array->offset + array->first * entry_bytes;
	uint32_t count = array->count - array->first;
	void *entries;

	if (count)
		count = stored_count(reader, start, count, entry_bytes);
	*ret_count = 0;
	if (!count)
		return NULL;
	entries = xreallocarray(NULL, count, entry_bytes);
	*ret_count = (uint32_t)(read_at(reader, start, entries, count * entry_bytes) /
				entry_bytes);
	return entries;
}

void *segment_reader_entries(const struct segment_reader *reader, uint32_t slot,
			     enum array_number number, const void *header,
			     uint32_t *ret_count)
{
	struct segment_array array;

	arrays_read(header, number, reader->slot_size, &array);
	return segment_reader_array(reader, slot, number, &array, ret_count);
}

static int read_tenancy(const struct segment_reader *reader, uint32_t slot, uint32_t *ret)
{
	return segment_reader_bytes(reader, slot,
				    offsetof(struct segment_process, tenancy), ret,
				    sizeof(*ret));
}

int segment_reader_process(const struct segment_reader *reader, uint32_t slot,
			   struct segment_process *ret)
{
	uint32_t before, after;

	for (int i = 0; i < READ_TRIES; i++) {
		if (read_tenancy(reader, slot, &before) < 0 ||
		    segment_reader_bytes(reader, slot, 0, ret, sizeof(*ret)) < 0 ||
		    ret->magic != SEGMENT_MAGIC_PROCESS ||
		    read_tenancy(reader, slot, &after) < 0)
			return -EINVAL;
		if (before == ret->tenancy && before == after)
			break;
	}
	return 0;
}
