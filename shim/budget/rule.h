/* SPDX-License-Identifier: MIT */
/* Which functions are counted: those whose calls are short against their hooks, once
 * their hooks have cost what it takes; and whether they still are. Runs on: traced
 * threads, slow paths of the hooks, any context. Must not make a system call but to
 * write call sites. */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"

/* Of lane_budget.step: the limit doubles with each; in the last one functions that call
 * malloc themselves may go without frames, too. */
#define RULE_LAST_STEP 4u

/* What the hooks of exact calls may take of a thread's time. */
double rule_allowed_share(void);

/* What a pair of hooks was calibrated to cost. */
double rule_pair_ticks(void);

/* Is a call of such a mean short against its hooks? */
int rule_is_short(const struct lane_context *context, double mean_ticks);

/* What so many exact calls cost in so many ticks, in parts of what is allowed. */
double rule_cost(uint64_t calls, uint64_t ticks);

/* A function that calls itself, be it by way of one or two others, takes as long as all
 * that it calls of itself: its mean says nothing. It is counted when it costs so much. */
#define RULE_RECURSION_COST 0.25

/* May the function go without frames, whatever it costs? */
int rule_may_take(const struct lane_context *context, uint64_t function);

/* Does a function that has just returned call itself? */
int rule_is_recursive(const struct lane_context *context, uint64_t function);

/*
 * What it takes to have a function counted: its code is written for some microseconds,
 * whatever becomes of it. So it is, like skis that are bought when renting them has cost
 * as much, once its hooks have: who does not know how often it is still going to be
 * called cannot promise to be better than that, twice what was best at the worst. Runs
 * on: traced threads, any context; all of them share the price.
 */

/* Have hooks that took so many ticks cost about as much as a function takes? Yes as long
 * as none is known. */
int price_is_paid(double hook_ticks);

/* One took so long. */
void price_note(uint64_t ticks);

/*
 * Functions that are counted are timed again now and then, for some hundred calls: their
 * mean may have changed. Runs on: traced threads, slow paths of the hooks, any context.
 * Must not make a system call but to write call sites.
 *
 * Each is, after 1, 4, 16 s and so on, six times at most. Two hundred calls later it is
 * counted again when they were short against their hooks, and so many that these cost
 * something; else the next two hundred are judged. That takes some 30 us, so it needs no
 * forecast of how often a function is going to be called.
 */

/* A call with a frame has ended whose function has been counted before. */
struct trials_call {
	uint64_t function, exit_return_address, call_site;
	uint64_t ticks; /* it took */
	uint64_t now;
};

void trials_note_call(struct lane_context *context, const struct trials_call *call);

/* The mean of the latest two hundred calls; 0: there have not been so many. */
double trials_mean(uint32_t number);

/* Begins those that are due. */
void trials_look(struct lane_context *context, uint64_t now);
