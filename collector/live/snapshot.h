/* SPDX-License-Identifier: MIT */
/*
 * A snapshot of a running process, taken from outside, without stopping it: for
 * PROFSHIM_SNAPSHOT_EVERY and `prof-analyze snapshot`. Must not write anything into the
 * segment file but the process's history, its number of snapshots and lock, and a slot
 * for the history; believe a number in it.
 */
#pragma once

#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "common/history.h"
#include "common/segment.h"
#include "common/segment_history.h"

/* What was copied of each lane of a process at the last snapshot. */
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

/* What is to become a snapshot: what the calls and times of a process's lanes have
 * reached, copied while nobody is kept waiting. */
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

struct live_snapshot_lock {
	uint32_t *word;
	struct robust_list_head head;
	struct robust_list_head *other_head; /* the thread's, of the C library */
	sigset_t mask;
};

/* Takes the lock, which must stay mapped, trying again for so many milliseconds. Signals
 * wait until it is given back. 0, or -EBUSY. */
int live_snapshot_lock(struct live_snapshot_lock *ret, uint32_t *word,
		       unsigned int wait_ms);

/* Takes a snapshot of the process in a slot of the segment file fd, which is open for
 * reading and writing, within seconds, of which it waits wait_ms at most for another
 * snapshot to end. now: the run's clock. ret_number: which one of the process it is. 0,
 * -EAGAIN: another one has been taken meanwhile, and this one is none, -EBUSY: another
 * snapshot did not end, -ENOSPC: no room, -ETIME: it took too long, -EINVAL: the file is
 * damaged, -EIO: it was cut short meanwhile, or another -errno. What fails but for
 * -EAGAIN is counted in the process, if there is one. The memory is void
 * (live_snapshot_forget()) after an error. */
int live_snapshot_take(int fd, uint32_t process_slot, const char *label,
		       enum segment_snapshot_cause cause, unsigned int wait_ms,
		       uint64_t now, struct live_snapshot_memory *memory,
		       uint32_t *ret_number);
