/* SPDX-License-Identifier: MIT */
/*
 * The lock with a word to the kernel. Must not return with the thread's robust list
 * other than it was.
 */
#include "collector/live/snapshot_lock.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/history.h"

#define PAUSE_NS 1000000 /* history_lock() makes so many as there are milliseconds */

static void pause_taker(int step)
{
	struct timespec pause = {.tv_nsec = PAUSE_NS};

	(void)step;
	nanosleep(&pause, NULL);
}

/* All but those that an instruction raises. A stopped taker would keep the process's own
 * snapshots waiting. */
static void block_signals(sigset_t *ret_mask)
{
	static const int raised[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
	sigset_t set;

	sigfillset(&set);
	for (size_t i = 0; i < sizeof(raised) / sizeof(raised[0]); i++)
		sigdelset(&set, raised[i]);
	pthread_sigmask(SIG_BLOCK, &set, ret_mask);
}

/* A list without entries, but with one that is being added: the kernel looks at it when
 * the thread dies, and does nothing when the word there is not the thread's number. */
static void tell_kernel(struct live_snapshot_lock *lock)
{
	size_t size;

	lock->head.list.next = &lock->head.list;
	lock->head.futex_offset = 0;
	lock->head.list_op_pending = (void *)lock->word;
	if (syscall(SYS_get_robust_list, 0, &lock->other_head, &size) < 0 ||
	    syscall(SYS_set_robust_list, &lock->head, sizeof(lock->head)) < 0)
		lock->other_head = NULL;
}

static void leave(struct live_snapshot_lock *lock)
{
	if (lock->other_head)
		syscall(SYS_set_robust_list, lock->other_head, sizeof(lock->head));
	pthread_sigmask(SIG_SETMASK, &lock->mask, NULL);
}

int live_snapshot_lock(struct live_snapshot_lock *ret, uint32_t *word,
		       unsigned int wait_ms)
{
	int result;

	*ret = (struct live_snapshot_lock){.word = word};
	block_signals(&ret->mask);
	tell_kernel(ret);
	result = history_lock(word, (uint32_t)syscall(SYS_gettid), (int)wait_ms,
			      pause_taker);
	if (result < 0)
		leave(ret);
	return result;
}

void live_snapshot_unlock(struct live_snapshot_lock *lock)
{
	history_unlock(lock->word);
	leave(lock);
}
