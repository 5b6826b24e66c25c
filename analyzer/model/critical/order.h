/* SPDX-License-Identifier: MIT */
/* The threads and stalls of a run, sorted so that they can be found by time. */
#pragma once

#include "analyzer/model/critical/run.h"

struct order;

/* Sorts both, and gives each stall its thread. Borrows the run. Owned by the caller. */
struct order *order_new(struct walk_run *run);
void order_free(struct order *order);

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
