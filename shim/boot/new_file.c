/* SPDX-License-Identifier: MIT */
/* Files of a run: created, mapped, and as large as limits let them be. */
#include "shim/boot/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/segment.h"
#include "shim/core/own_memory.h"

#define SLOT_BYTES (256ull << 20)
#define SMALL_SLOT_BYTES (16ull << 20)

/* Reserves the first bytes of a fresh shared mapping of fd. */
static int reserve(int fd, void *start, uint64_t size)
{
	if (madvise(start, size, 23 /* MADV_POPULATE_WRITE */) == 0)
		return 0;
	if (errno != EINVAL)
		return errno == EFAULT ? -ENOSPC : -errno;
	return -posix_fallocate(fd, 0, (off_t)size);
}

static int map_new_file(int fd, const struct new_file *file, void **ret)
{
	void *mapped;
	int result;

	if (ftruncate(fd, (off_t)file->file_size) < 0)
		return -errno;
	mapped = mmap(NULL, file->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	madvise(mapped, file->map_size, MADV_RANDOM); /* see process_map_slots() */
	result = reserve(fd, mapped, file->reserved_size);
	if (result < 0) {
		munmap(mapped, file->map_size);
		return result;
	}
	own_memory_add(mapped, file->map_size);
	*ret = mapped;
	return 0;
}

int new_file_map(const struct spool *spool, const struct new_file *file, void **ret)
{
	int fd = spool_create_file(spool, file->name), result;

	if (fd < 0)
		return fd;
	result = map_new_file(fd, file, ret);
	close(fd);
	if (result < 0)
		spool_remove_file(spool, file->name);
	return result;
}

const char *new_file_sizes(uint64_t *ret_slot_size, uint64_t *ret_slot_limit)
{
	struct rlimit file_size, address_space;
	uint64_t slot = SLOT_BYTES, limit = SEGMENT_SLOT_LIMIT;

	if (getrlimit(RLIMIT_AS, &address_space) == 0 &&
	    address_space.rlim_cur != RLIM_INFINITY) {
		if (address_space.rlim_cur < 1ull << 30)
			return "the limit on address space (ulimit -v) is below 1 GiB";
		slot = SMALL_SLOT_BYTES;
		limit = 16;
	}
	if (getrlimit(RLIMIT_FSIZE, &file_size) == 0 &&
	    file_size.rlim_cur / slot < limit) {
		slot = SMALL_SLOT_BYTES;
		limit = file_size.rlim_cur / slot;
		if (limit > 64)
			limit = 64;
	}
	if (limit < 3) /* header, process, one lane */
		return "the limit on file size (ulimit -f) is below 48 MiB";
	*ret_slot_size = slot;
	*ret_slot_limit = limit;
	return NULL;
}
