/* SPDX-License-Identifier: MIT */
/*
 * The gate that every system call of the slow paths passes. It closes for good when the
 * program forbids itself system calls (seccomp): one more of ours might kill the program.
 * We do not look which calls it forbids.
 *
 * A slow path enters, calls, and leaves. Whoever closes the gate waits until nobody is
 * inside, since the filter may apply to all threads. A forked child inherits a closed
 * gate with the filter.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

struct gate {
	uint32_t closed; /* how many have closed it */
	uint32_t inside; /* slow paths at work */
};

extern hidden struct gate gate;

/* False: system calls may kill the program. */
static inline int gate_is_open(void)
{
	return !__atomic_load_n(&gate.closed, __ATOMIC_RELAXED);
}

/* Bracket system calls. 0: the gate is closed; do without, and do not leave. They
 * nest. */
int gate_enter(void);
void gate_leave(void);

/* Closes the gate: no slow path makes a system call from here on. Waits a bounded time
 * for those inside (a handler may have interrupted one on its own thread). Several
 * threads may close it. */
void gate_close(void);

/* Undoes one gate_close(): the program's call failed, and forbids nothing. */
void gate_open(void);

/* In a forked child: the threads that were inside do not exist here. */
void gate_forked(void);

/* Enters, and blocks all signals; mask keeps the thread's own. 0: the gate is closed or
 * the kernel refuses; signals are not blocked, and gate_restore_signals() does
 * nothing. */
int gate_block_signals(uint64_t *mask);
void gate_restore_signals(const uint64_t *mask);

/*
 * Waits between two tries for what another thread holds briefly: spins at first, and
 * sleeps 50 us or more from step GATE_WAIT_SPINS on. (A real-time thread that only yields
 * would wait for ever for one of lower priority.) GATE_WAIT_STEPS: give up here, after at
 * least 20 ms. With the gate closed it spins longer instead of sleeping.
 */
#define GATE_WAIT_SPINS 512
#define GATE_WAIT_STEPS (GATE_WAIT_SPINS + 400)
void gate_wait(int step);

/* Sleeps, less than a second. Accurate from 50 us on. */
void gate_sleep(uint32_t ns);

/*
 * A lock between the threads of a process that lends its holder the waiters' priority
 * (FUTEX_LOCK_PI). Without that a waiter might wait for ever for a thread of lower
 * priority that never gets the CPU.
 *
 * The word is 0, or the id of the thread that has the lock, with bits of the kernel's. It
 * lies in memory that no other process writes to; a forked child makes it 0 before it is
 * used there. Runs on: any thread, slow paths only. Block signals before taking it: a
 * handler may take it, too.
 */

/* 1: the caller has it. Waits only briefly, not for a holder that has been switched out.
 * may_call: the gate is entered. */
int boost_lock_try(uint32_t *word, int may_call);

/* The same, but waits as long as it takes. 0: system calls are forbidden or the kernel
 * refuses, and some 20 ms have passed. */
int boost_lock_take(uint32_t *word, int may_call);

void boost_lock_release(uint32_t *word);
