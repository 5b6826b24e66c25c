/* SPDX-License-Identifier: MIT */
/*
 * What is to become a snapshot: what the calls and times of a process's lanes have
 * reached, copied while nobody is kept waiting. Runs on: one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/history.h"
#include "common/segment.h"

struct live_snapshot_lane {
	uint32_t slot;
	struct history_memory memory; /* both in one mapping */
	size_t bytes;
};

struct live_snapshot_memory {
	struct live_snapshot_lane *lanes;
	size_t count;
	size_t next; /* where the lane that follows the last one is likely to be */
};

void live_snapshot_forget(struct live_snapshot_memory *memory);

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

/* The first size bytes of a slot, or NULL. */
void *taker_map_slot(const struct taker *taker, uint32_t slot, uint64_t size);

/* 0, or -EIO: what was read there, or written, is nothing. */
int taker_unmap(const void *start);

/* Disk for a part of the file. 0, or -errno. */
int taker_reserve(const struct taker *taker, uint64_t offset, uint64_t size);

struct draft {
	/* in memory of one's own: path_pasts is what has been copied, taken how many
	 * snapshots there were before */
	struct history history;
	const struct taker *taker;
	struct live_snapshot_memory *memory;
	int threads; /* /proc/PID/task, -1: not to be had */
};

/* 0, -ENOSPC: more than a history can hold, -ETIME: it took too long, -EIO: the file was
 * cut short, or another -errno. The memory is void after an error, or if the draft does
 * not become a snapshot. */
int draft_copy(struct draft *draft, const struct taker *taker, uint64_t now,
	       struct live_snapshot_memory *memory);
void draft_done(struct draft *draft);
