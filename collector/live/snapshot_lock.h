/* SPDX-License-Identifier: MIT */
/*
 * A process's snapshot_lock, held from outside so that nobody is left standing when the
 * holder is killed. Runs on: the collector's main thread; prof-analyze; one lock at a
 * time. Must not keep a pointer in memory that the process can write.
 *
 * While the lock is held, the kernel knows its place (set_robust_list) and marks it when
 * the thread dies, by SIGKILL too. So neither namespaces nor numbers used again matter. A
 * pthread_mutex_t would do the same, but links through the mutexes themselves.
 */
#pragma once

#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>

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
void live_snapshot_unlock(struct live_snapshot_lock *lock);
