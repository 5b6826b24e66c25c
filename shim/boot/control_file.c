/* SPDX-License-Identifier: MIT */
/*
 * The control file, made and mapped. Must not keep a mapping that could be made
 * writable: the process may become somebody else.
 */
#include "shim/boot/control_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/segment_control.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"

/* The header's page gets its memory here, the rest from who writes it. */
static int write_header(int fd, uint64_t token)
{
	uint64_t page[offsetof(struct segment_control, answers) / sizeof(uint64_t)] = {
		SEGMENT_MAGIC_CONTROL, token};
	ssize_t written;

	if (ftruncate(fd, (off_t)sizeof(struct segment_control)) < 0)
		return -errno;
	written = pwrite(fd, page, sizeof(page), 0);
	if (written == (ssize_t)sizeof(page))
		return 0;
	return written < 0 ? -errno : -ENOSPC;
}

int control_file_create(const struct spool *spool, uint64_t token)
{
	int fd = spool_create_file(spool, SEGMENT_CONTROL_NAME), result;

	if (fd < 0)
		return fd;
	result = write_header(fd, token);
	close(fd);
	if (result == 0)
		result = control_file_map(spool, token);
	return result;
}

int control_file_map(const struct spool *spool, uint64_t token)
{
	struct segment_control *control = MAP_FAILED;
	int fd = spool_open_file(spool, SEGMENT_CONTROL_NAME, O_RDONLY);

	if (fd < 0)
		return fd;
	if (lseek(fd, 0, SEEK_END) >= (off_t)sizeof(*control))
		control = mmap(NULL, sizeof(*control), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (control == MAP_FAILED)
		return -EINVAL;
	own_memory_add(control, sizeof(*control));
	if (control->magic != SEGMENT_MAGIC_CONTROL || control->token != token) {
		process_unmap(control, sizeof(*control));
		return -ESTALE;
	}
	process_facts.control = control;
	return 0;
}
