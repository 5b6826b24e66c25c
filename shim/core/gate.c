/* SPDX-License-Identifier: MIT */
/*
 * The gate in front of our system calls, and a lock whose holder is lent priority.
 *
 * MEMORY ORDER. Entering counts first and then looks at closed, closing sets it first
 * and then looks at the count; both sequentially consistent, so that one of the two sees
 * the other.
 */
#include "shim/core/gate.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "shim/core/syscall.h"

/* A mask that no thread can have: SIGKILL is never blocked. */
#define MASK_NOT_KEPT (~0ull)

/* A slow path takes microseconds, but may have lost its processor: 40 ms and more. */
#define CLOSE_ROUNDS 400

#define SHORT_SLEEP_NS 50000u

/* About as long as the short sleep. */
#define LONG_SPIN 1024

struct gate gate written_in_children;

int gate_enter(void)
{
	__atomic_fetch_add(&gate.inside, 1, __ATOMIC_SEQ_CST);
	if (likely(!__atomic_load_n(&gate.closed, __ATOMIC_SEQ_CST)))
		return 1;
	gate_leave();
	return 0;
}

void gate_leave(void)
{
	__atomic_fetch_sub(&gate.inside, 1, __ATOMIC_SEQ_CST);
}

/* By a call that the slow paths make anyway: filters that are in force know it. */
static void sleep_for(uint32_t ns)
{
	const struct timespec step = {0, ns};
	static const uint32_t never_woken;

	SYSCALL(SYS_futex, &never_woken, 0 /* FUTEX_WAIT */, 0, &step, 0, 0);
}

void gate_close(void)
{
	__atomic_fetch_add(&gate.closed, 1, __ATOMIC_SEQ_CST);
	/* the filter is not there yet: we may still call */
	for (int i = 0; i < CLOSE_ROUNDS; i++) {
		if (!__atomic_load_n(&gate.inside, __ATOMIC_SEQ_CST))
			return;
		sleep_for(SHORT_SLEEP_NS);
	}
}

void gate_open(void)
{
	__atomic_fetch_sub(&gate.closed, 1, __ATOMIC_SEQ_CST);
}

void gate_forked(void)
{
	__atomic_store_n(&gate.inside, 0, __ATOMIC_SEQ_CST);
}

int gate_block_signals(uint64_t *mask)
{
	uint64_t all = ~0ull;

	*mask = MASK_NOT_KEPT;
	if (!gate_enter())
		return 0;
	if (SYSCALL(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, mask, 8, 0, 0) == 0)
		return 1;
	*mask = MASK_NOT_KEPT;
	gate_leave();
	return 0;
}

void gate_restore_signals(const uint64_t *mask)
{
	if (*mask == MASK_NOT_KEPT)
		return;
	SYSCALL(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, mask, 0, 8, 0, 0);
	gate_leave();
}

static void spin(uint32_t times)
{
	while (times--)
		__builtin_ia32_pause();
}

void gate_sleep(uint32_t ns)
{
	if (gate_enter()) {
		sleep_for(ns);
		gate_leave();
	} else {
		spin(ns / SHORT_SLEEP_NS * LONG_SPIN);
	}
}

void gate_wait(int step)
{
	if (step >= GATE_WAIT_SPINS)
		gate_sleep(SHORT_SLEEP_NS);
	else
		spin(1);
}

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
