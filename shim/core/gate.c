/* SPDX-License-Identifier: MIT */
/*
 * The gate in front of our system calls.
 *
 * MEMORY ORDER. Entering counts first and then looks at closed, closing sets it first
 * and then looks at the count; both sequentially consistent, so that one of the two sees
 * the other.
 */
#include "shim/core/gate.h"

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
