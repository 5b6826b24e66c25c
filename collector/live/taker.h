/* SPDX-License-Identifier: MIT */
/*
 * A segment file as somebody has it who takes a snapshot from outside. Runs on: one
 * thread; see shared_map.h. Must not be believed beyond what is said here: the process
 * may be anybody's, and writes the file meanwhile.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

struct taker {
	int fd;
	uint64_t file_size, slot_size; /* checked, as is slot_limit */
	uint32_t slot_limit, process_slot;
	struct segment_file *file;
	struct segment_process *process;
};

/* fd and process_slot: the caller's. 0, -EINVAL: it is no segment file, or has no such
 * process, or another -errno. To be closed in any case. */
int taker_open(struct taker *taker, int fd, uint32_t process_slot);

/* The result, or -EIO: the file has been cut meanwhile. */
int taker_close(struct taker *taker, int result);

uint32_t taker_slot_count(const struct taker *taker);

/* The first size bytes of a slot, or NULL. */
void *taker_map_slot(const struct taker *taker, uint32_t slot, uint64_t size);

/* 0, or -EIO: what was read there, or written, is nothing. */
int taker_unmap(const void *start);

/* Disk for a part of the file. 0, or -errno. */
int taker_reserve(const struct taker *taker, uint64_t offset, uint64_t size);
