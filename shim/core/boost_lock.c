/* SPDX-License-Identifier: MIT */
/* See boost_lock.h. */
#include "shim/core/boost_lock.h"

#include <errno.h>
#include <linux/futex.h>

#include "common/attributes.h"
#include "shim/core/gate.h"
#include "shim/core/syscall.h"

/* Who may not ask for its own id. No thread has this one: the kernel refuses to wait for
 * it, and whoever tried does so by himself. */
#define NOBODY FUTEX_TID_MASK

/* Others have it for microseconds: to sleep and to be woken takes longer. */
#define TRIES 128

/* The kernel says so when the holder's thread is just ending. */
#define ENDING_TRIES 64

static uint32_t own_id(int may_call)
{
	return may_call ? (uint32_t)SYSCALL(SYS_gettid, 0, 0, 0, 0, 0, 0) : NOBODY;
}

static int try_once(uint32_t *word, uint32_t own)
{
	uint32_t expected = 0;

	/* acquire: pairs with the release in boost_lock_release() */
	return __atomic_load_n(word, __ATOMIC_RELAXED) == 0 &&
	       __atomic_compare_exchange_n(word, &expected, own, 0, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static int try_for_a_moment(uint32_t *word, uint32_t own)
{
	for (int i = 0; i < TRIES; i++) {
		if (try_once(word, own))
			return 1;
		__builtin_ia32_pause();
	}
	return 0;
}

int boost_lock_try(uint32_t *word, int may_call)
{
	return try_for_a_moment(word, own_id(may_call));
}

/* 1: the kernel has given it to the thread. */
static int wait_in_kernel(uint32_t *word)
{
	long result = -EAGAIN;

	for (int i = 0; i < ENDING_TRIES && (result == -EAGAIN || result == -EINTR); i++)
		result = SYSCALL(SYS_futex, word, FUTEX_LOCK_PI_PRIVATE, 0, 0, 0, 0);
	/* acquire: pairs with the release before the call that gave it */
	return result == 0 && __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0;
}

cold int boost_lock_take(uint32_t *word, int may_call)
{
	uint32_t own = own_id(may_call);

	if (try_for_a_moment(word, own) || (may_call && wait_in_kernel(word)))
		return 1;
	for (int i = 0; i < GATE_WAIT_STEPS; i++) {
		if (try_once(word, own))
			return 1;
		gate_wait(i);
	}
	return 0;
}

void boost_lock_release(uint32_t *word)
{
	uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);

	if ((seen & FUTEX_TID_MASK) == NOBODY) {
		/* the bit of one whom the kernel has refused may be there, too */
		__atomic_store_n(word, 0, __ATOMIC_RELEASE);
		return;
	}
	/* release: pairs with the acquire in try_once(). Who waits in the kernel has put
	 * a bit into the word, which may come until the exchange. */
	if (!(seen & FUTEX_WAITERS) &&
	    __atomic_compare_exchange_n(word, &seen, 0, 0, __ATOMIC_RELEASE,
					__ATOMIC_RELAXED))
		return;
	/* release: the kernel's exchange is nothing that this code is ordered by */
	__atomic_fetch_or(word, FUTEX_WAITERS, __ATOMIC_RELEASE);
	/* whoever waits has let itself in by the gate, which is not closed meanwhile */
	if (SYSCALL(SYS_futex, word, FUTEX_UNLOCK_PI_PRIVATE, 0, 0, 0, 0) < 0)
		__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}
