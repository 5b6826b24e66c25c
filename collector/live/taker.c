/* SPDX-License-Identifier: MIT */
/* See taker.h. */
#include "collector/live/taker.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "collector/live/shared_map.h"

static void *map(const struct taker *taker, uint64_t offset, uint64_t size)
{
	if (offset > taker->file_size || size > taker->file_size - offset)
		return NULL;
	return shared_map(taker->fd, offset, size, PROT_READ | PROT_WRITE);
}

uint32_t taker_slot_count(const struct taker *taker)
{
	uint32_t count = __atomic_load_n(&taker->file->slot_count, __ATOMIC_ACQUIRE);

	return count < taker->slot_limit ? count : taker->slot_limit;
}

void *taker_map_slot(const struct taker *taker, uint32_t slot, uint64_t size)
{
	if (slot == 0 || slot >= taker_slot_count(taker) || size > taker->slot_size)
		return NULL;
	return map(taker, slot * taker->slot_size, size);
}

int taker_unmap(const void *start)
{
	int result = shared_map_is_lost(start) ? -EIO : 0;

	shared_unmap(start);
	return result;
}

int taker_open(struct taker *taker, int fd, uint32_t process_slot)
{
	struct stat status;

	*taker = (struct taker){.fd = fd, .process_slot = process_slot};
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	taker->file_size = (uint64_t)status.st_size;
	taker->file = map(taker, 0, sizeof(*taker->file));
	if (!taker->file)
		return -EINVAL;
	taker->slot_size = __atomic_load_n(&taker->file->slot_size, __ATOMIC_RELAXED);
	taker->slot_limit = __atomic_load_n(&taker->file->slot_limit, __ATOMIC_RELAXED);
	if (taker->file->magic != SEGMENT_MAGIC_FILE ||
	    taker->file->version != SEGMENT_VERSION || taker->slot_size < 1 << 20 ||
	    taker->slot_size % 4096 || taker->slot_size > SEGMENT_SLOT_BYTES_MOST ||
	    taker->slot_limit > SEGMENT_SLOT_LIMIT)
		return -EINVAL;
	taker->process = taker_map_slot(taker, process_slot, sizeof(*taker->process));
	return taker->process && taker->process->magic == SEGMENT_MAGIC_PROCESS ? 0
										: -EINVAL;
}

int taker_close(struct taker *taker, int result)
{
	if (taker_unmap(taker->process) < 0)
		result = -EIO;
	if (taker_unmap(taker->file) < 0)
		result = -EIO;
	return result;
}

int taker_reserve(const struct taker *taker, uint64_t offset, uint64_t size)
{
	return fallocate(taker->fd, 0, (off_t)offset, (off_t)size) < 0 ? -errno : 0;
}
