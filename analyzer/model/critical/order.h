/* SPDX-License-Identifier: MIT */
/* The threads and stalls of a run in an order in which they are found. */
#pragma once

#include "analyzer/model/critical/run.h"

struct order;

/* Sorts both, and gives each stall its thread. Borrows the run. Owned by the caller. */
struct order *order_new(struct walk_run *run);
void order_free(struct order *order);

/* WALK_NONE: there is none such. */

/* The lane's thread at a time: the latest that had begun. */
uint32_t order_thread_at(const struct order *order, uint32_t lane, double at_ns);
/* The thread's latest stall that had begun before this time, over or not. */
uint32_t order_stall_at(const struct order *order, uint32_t thread, double at_ns);
/* The last stall of another thread that was over, its lock taken, during this one. */
uint32_t order_last_taker(const struct order *order, uint32_t stall);
/* The next two look at all threads; once that has been done too often, they find none. */

/* The thread that ended last during this stall. */
uint32_t order_last_ended(struct order *order, uint32_t stall);
/* Who may have made a thread: was at work when it began, the first thread before others;
 * or else was so last before it. ret_is_guessed: it is not the first one, and others may
 * have done it as well. */
uint32_t order_maker(struct order *order, uint32_t thread, bool *ret_is_guessed);
