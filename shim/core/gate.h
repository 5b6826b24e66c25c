/* SPDX-License-Identifier: MIT */
/*
 * The gate that every system call of the slow paths passes, and that is closed for ever
 * when the program forbids itself system calls (seccomp): one more of ours, and the
 * kernel would kill the program.
 *
 * A slow path enters, calls, and leaves; whoever closes the gate waits until nobody is
 * inside, for the filter may hold for all threads. A forked child inherits a closed gate
 * with the filter.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

struct gate {
	uint32_t is_closed;
	uint32_t is_restricted; /* see gate_is_restricted() */
	uint32_t forbids_start; /* an image that starts with us in it would be killed */
	uint32_t inside;	/* slow paths at work */
};

extern hidden struct gate gate;

/* False: system calls may kill the program. */
static inline int gate_is_open(void)
{
	return !__atomic_load_n(&gate.is_closed, __ATOMIC_RELAXED);
}

/* True: a filter is in force that lets the calls pass which growth needs, all of them
 * (wrap/rights/sandbox_filter.c). Others, which can be done without, are not made. */
static inline int gate_is_restricted(void)
{
	return __atomic_load_n(&gate.is_restricted, __ATOMIC_RELAXED);
}

void gate_restrict(void);

/* The program's filter would kill an image that starts with us in it. */
static inline int gate_forbids_start(void)
{
	return __atomic_load_n(&gate.forbids_start, __ATOMIC_RELAXED);
}

void gate_forbid_start(void);

/* Before and after system calls. 0: the gate is closed, do without, and do not leave.
 * Nests. */
int gate_enter(void);
void gate_leave(void);

/* No slow path makes a system call from here on. Waits a bounded time for those at work
 * (a handler may have interrupted one of its own thread). Returns 0 when it was closed
 * before. */
int gate_close(void);

/* The program's call failed: nothing is forbidden. */
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
