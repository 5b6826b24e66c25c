/* SPDX-License-Identifier: MIT */
/*
 * The gate that every system call of the slow paths passes, and that is closed for ever
 * when the program forbids itself system calls (seccomp): one more of ours, and the
 * kernel might kill the program. Which ones it forbids is not looked at.
 *
 * A slow path enters, calls, and leaves; whoever closes the gate waits until nobody is
 * inside, for the filter may hold for all threads. A forked child inherits a closed gate
 * with the filter.
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

/* Before and after system calls. 0: the gate is closed, do without, and do not leave.
 * Nests. */
int gate_enter(void);
void gate_leave(void);

/* No slow path makes a system call from here on. Waits a bounded time for those at work
 * (a handler may have interrupted one of its own thread). Several threads may do so. */
void gate_close(void);

/* What one of them closed it for has failed: nothing is forbidden by that. */
void gate_open(void);

/* In a forked child: the threads that were inside do not exist here. */
void gate_forked(void);

/* Enters, and blocks all signals; mask: where the thread's own are kept meanwhile. 0: the
 * gate is closed or the kernel refuses; signals are open, and gate_restore_signals() does
 * nothing. */
int gate_block_signals(uint64_t *mask);
void gate_restore_signals(const uint64_t *mask);

/*
 * Between two looks at what another thread has for a moment: a spin at first, and from
 * the step GATE_WAIT_SPINS on a sleep of 50 us or more. Who only lets others go first
 * (sched_yield) waits for ever for a thread of less priority that is real time like
 * itself. GATE_WAIT_STEPS: when to give up, after 20 ms at the least. With the gate
 * closed there is no sleep, and the spins are longer.
 */
#define GATE_WAIT_SPINS 512
#define GATE_WAIT_STEPS (GATE_WAIT_SPINS + 400)
void gate_wait(int step);

/* For a part of a second; 50 us and more are as meant. */
void gate_sleep(uint32_t ns);

/*
 * A lock between the threads of a process whose holder is lent the priority of who waits
 * for it (FUTEX_LOCK_PI). Who waits without sleeping, or sleeps without that, may wait
 * for ever: for a thread of less priority on the same CPU, which does not get it.
 *
 * The word is 0, or the id of the thread that has the lock, with bits of the kernel's. It
 * lies in memory that no other process writes to; a forked child makes it 0 before it is
 * used there. Runs on: any thread, slow paths only. Must not be taken where a handler may
 * come in that takes it, too: signals are blocked.
 */

/* 1: the caller has it. Waits for as long as others have the lock for a moment, not for
 * one that has been switched out. may_call: the gate is entered. */
int boost_lock_try(uint32_t *word, int may_call);

/* The same, and waits as long as it takes. 0 where there is no such wait, for system
 * calls are forbidden or the kernel refuses: after some 20 ms. */
int boost_lock_take(uint32_t *word, int may_call);

void boost_lock_release(uint32_t *word);
