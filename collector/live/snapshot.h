/* SPDX-License-Identifier: MIT */
/*
 * A snapshot of a running process, taken from outside, without stopping it: for
 * PROFSHIM_SNAPSHOT_EVERY and `prof-analyze snapshot`. In the segment file it may only
 * write the process's history, its snapshot count and lock, and a slot for the history.
 * Must not trust a number there.
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
	struct history_memory memory; /* all in one mapping */
	size_t bytes;
};

struct live_snapshot_memory {
	struct live_snapshot_lane *lanes;
	size_t count;
	size_t next; /* likely index of the lane after the last one */
};

void live_snapshot_forget(struct live_snapshot_memory *memory);

struct taker {
	int fd;
	uint64_t file_size, slot_size; /* checked, like slot_limit */
	uint32_t slot_limit, process_slot;
	struct segment_file *file;
	struct segment_process *process;
};

/* fd belongs to the caller. 0; -EINVAL: not a segment file, or without such a process; or
 * another -errno. Close in any case. */
int taker_open(struct taker *taker, int fd, uint32_t process_slot);

/* Returns result, or -EIO: the file was truncated meanwhile. */
int taker_close(struct taker *taker, int result);

/* The first size bytes of a slot, or NULL. */
void *taker_map_slot(const struct taker *taker, uint32_t slot, uint64_t size);

/* 0, or -EIO: what was read or written there is void. */
int taker_unmap(const void *start);

/* Allocates disk space for a part of the file. 0, or -errno. */
int taker_reserve(const struct taker *taker, uint64_t offset, uint64_t size);

/* A future snapshot: calls and times that a process's lanes have reached, copied while
 * nobody has to wait. */
struct draft {
	/* in our own memory. path_pasts: what has been copied; taken: the number of
	 * earlier snapshots */
	struct history history;
	const struct taker *taker;
	struct live_snapshot_memory *memory;
	int threads; /* /proc/PID/task; -1: unavailable */
};

/* 0; -ENOSPC: more than a history can hold; -ETIME: it took too long; -EIO: the file was
 * truncated; or another -errno. The memory is void after an error, or if the draft does
 * not become a snapshot. */
int draft_copy(struct draft *draft, const struct taker *taker, uint64_t now,
	       struct live_snapshot_memory *memory);
void draft_done(struct draft *draft);

struct live_snapshot_lock {
	uint32_t *word;
	struct robust_list_head head;
	struct robust_list_head *other_head; /* the thread's own, set by the C library */
	sigset_t mask;
};

/* Takes the lock, which must stay mapped, trying for wait_ms. Signals are blocked until
 * it is released. 0, or -EBUSY. */
int live_snapshot_lock(struct live_snapshot_lock *ret, uint32_t *word,
		       unsigned int wait_ms);

/* Takes a snapshot of the process in a slot of the segment file fd, which is open for
 * reading and writing. Takes seconds at most, of which up to wait_ms for another snapshot
 * to end. now: the run's clock. ret_number: the snapshot's number in the process. 0;
 * -EAGAIN: another one was taken meanwhile, so this one is dropped; -EBUSY: another one
 * did not end; -ENOSPC: no room; -ETIME: it took too long; -EINVAL: the file is damaged;
 * -EIO: it was truncated meanwhile; or another -errno. Failures except -EAGAIN are
 * counted in the process, if it exists. The memory is void (live_snapshot_forget()) after
 * an error. */
int live_snapshot_take(int fd, uint32_t process_slot, const char *label,
		       enum segment_snapshot_cause cause, unsigned int wait_ms,
		       uint64_t now, struct live_snapshot_memory *memory,
		       uint32_t *ret_number);
