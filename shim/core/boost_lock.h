/* SPDX-License-Identifier: MIT */
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
#pragma once

#include <stdint.h>

/* 1: the caller has it. Waits for as long as others have the lock for a moment, not for
 * one that has been switched out. may_call: the gate is entered. */
int boost_lock_try(uint32_t *word, int may_call);

/* The same, and waits as long as it takes. 0 where there is no such wait, for system
 * calls are forbidden or the kernel refuses: after some 20 ms. */
int boost_lock_take(uint32_t *word, int may_call);

void boost_lock_release(uint32_t *word);
