/* SPDX-License-Identifier: MIT */
/* The threads and stalls of a run, sorted so that they can be found by time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WALK_NONE UINT32_MAX

/* Times are ns since the start of the run. */
struct walk_thread {
	uint32_t lane;
	uint32_t number; /* as the caller numbers it */
	double begin_ns, end_ns;
};

enum walk_kind {
	WALK_LOCK,   /* holder: had the lock when the wait began */
	WALK_SIGNAL, /* holder: let the waiter go */
	WALK_JOIN,   /* holder: the thread that ended */
	WALK_NAP,    /* slept; no holder is known */
};

/* A wait for another thread, or a sleep. */
struct walk_stall {
	uint32_t lane, holder_lane; /* WALK_NONE: not known */
	double begin_ns, end_ns;
	enum walk_kind kind;
	int64_t lock_id; /* 0: none */
	uint32_t number; /* the caller's number of the stall */
	uint32_t thread; /* set by the walk; WALK_NONE: matches no thread */
};

/* Windows of time in which all stalls are known. period_ns 0: they are always known. */
struct walk_windows {
	double first_ns, length_ns, period_ns;
};

struct walk_run {
	struct walk_thread *threads; /* sorted by the walk */
	size_t thread_count;
	struct walk_stall *stalls; /* sorted by the walk */
	size_t stall_count;
	uint32_t last_lane; /* the chain ends with the last thread of this lane */
	double begin_ns, end_ns;
	struct walk_windows windows;
};

struct order;

/* Sorts both, and gives each stall its thread. Borrows the run. Owned by the caller. */
struct order *order_new(struct walk_run *run);

/* All return WALK_NONE if there is none. */

/* The lane's thread at a time: the latest one that had begun. */
uint32_t order_thread_at(const struct order *order, uint32_t lane, double at_ns);
/* The thread's latest stall that had begun by this time, over or not. */
uint32_t order_stall_at(const struct order *order, uint32_t thread, double at_ns);
/* Among other threads' stalls for the same lock: the last one that ended, with the lock
 * taken, during this stall. */
uint32_t order_last_taker(const struct order *order, uint32_t stall);
/* The next two look at all threads; after too many looks they return WALK_NONE. */

/* The thread that ended last during this stall. */
uint32_t order_last_ended(struct order *order, uint32_t stall);
/* The thread that may have made this one: it was at work when this one began (the first
 * thread is preferred), or else was so most recently. ret_is_guessed: it is not the first
 * thread, and others may have made it as well. */
uint32_t order_maker(struct order *order, uint32_t thread, bool *ret_is_guessed);
