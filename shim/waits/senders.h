/* SPDX-License-Identifier: MIT */
/*
 * Who has sent what another thread may wait for, and when: signals of the kernel's, what
 * goes through pipes. Runs on: any thread, any context; kill() is called in handlers.
 * Must not lock or call libc.
 *
 * Whoever sends leaves its lane, its node and the time in a table that all threads share,
 * by a key, before it sends: who is woken by it may look before the call returns. What
 * was left before a wait began has not ended it, so that the key may mean little: what
 * the kernel, a timer or another process has sent, nobody has left there.
 */
#pragma once

#include <stdint.h>

#include "shim/waits/holders.h"

/* A signal of any number. */
#define SENDERS_ANY 0

/* What was sent to the process, of this number: no object lies at so low an address. */
static inline uintptr_t senders_key_of_process(int signal)
{
	return (uintptr_t)(uint32_t)(signal + 1) << 3;
}

/* To one thread, by its pthread_t, which begins an object larger than that. */
static inline uintptr_t senders_key_of_thread(uintptr_t thread, int signal)
{
	return thread + senders_key_of_process(signal);
}

/* To one thread, by its id: above all addresses. */
static inline uintptr_t senders_key_of_tid(int32_t tid, int signal)
{
	return 1ul << 63 | (uintptr_t)(uint32_t)tid << 10 |
	       senders_key_of_process(signal);
}

/* What is written, by a descriptor's channel. */
static inline uintptr_t senders_key_of_channel(uint32_t channel)
{
	return 1ul << 62 | (uintptr_t)channel << 3;
}

/* Two words, which two threads may mix up: then a wait has a sender that sent at the
 * same time. */
struct sender {
	uint64_t word; /* as in holders_signals */
	uint64_t ticks;
};

extern hidden struct sender senders[LANE_LOCK_HEADS];

/* The thread of the lane sends from this node at this time, and is recorded. */
static inline void senders_put(const struct lane_context *context, uint32_t node,
			       uintptr_t key, uint64_t ticks)
{
	struct sender *sender = &senders[lock_list_hash(key)];
	uint64_t word = holders_word(context, key, node);

	if (unlikely(!word))
		return;
	__atomic_store_n(&sender->ticks, ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&sender->word, word, __ATOMIC_RELAXED);
}

/* The thread is about to send, if it is recorded. */
void senders_note(uintptr_t key);

/* The latest who has sent by one of the keys since then, and not after it. Does nothing
 * when nobody has. */
void senders_find(struct holder *ret, const uintptr_t *keys, uint32_t count,
		  uint64_t since_ticks, uint64_t until_ticks);

/* About to send a signal: to the process, to a thread by its pthread_t, or its id. */
void senders_note_process(int signal);
void senders_note_thread(uintptr_t thread, int signal);
void senders_note_tid(int32_t tid, int signal);

/* The latest who has sent this signal to the calling thread or to its process. */
void senders_find_signal(struct holder *ret, int signal, uint64_t since_ticks);
