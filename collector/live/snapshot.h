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
#include <stdint.h>

#include "collector/live/draft.h"
#include "common/segment_history.h"

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
 * reading and writing, within seconds, of which it
 * waits wait_ms at most for another snapshot to end. now: the run's clock. ret_number:
 * which one of the process it is. 0, -EAGAIN: another one has been taken meanwhile, and
 * this one is none, -EBUSY: another snapshot did not end, -ENOSPC: no
 * room, -ETIME: it took too long, -EINVAL: the file is damaged, -EIO: it was cut short
 * meanwhile, or another -errno. What fails but for -EAGAIN is counted in the process, if
 * there is one. The memory is void (live_snapshot_forget()) after an error. */
int live_snapshot_take(int fd, uint32_t process_slot, const char *label,
		       enum segment_snapshot_cause cause, unsigned int wait_ms,
		       uint64_t now, struct live_snapshot_memory *memory,
		       uint32_t *ret_number);
