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
