/* SPDX-License-Identifier: MIT */
/* Keeps the cost of recording below PROFSHIM_OVERHEAD, and serialises changes of how
 * functions are recorded. Runs on: traced threads, slow paths of the hooks, any context.
 * Must not make a system call but to write call sites, and to read symbol tables. */
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "shim/core/answers.h"
#include "shim/core/clock.h"
#include "shim/lane/lane.h"

/*
 * Keeps the cost of recording below PROFSHIM_OVERHEAD: a function is timed while its
 * calls take much longer than their hooks; else it is only counted. Runs on: traced
 * threads, slow paths of the hooks, any context. Must not make a system call but to write
 * call sites.
 *
 * LOOKING. From check_ticks on we look at the exits of 1.5 us: their number times the
 * cost of a pair of hooks is the hooks' share. A pair costs what was calibrated,
 * corrected by samples in our own code. While the budget is exceeded, a look comes every
 * 12 us; when it is not, or nothing is found, less and less often, up to 0.8 ms: about
 * 0.2 % of the time. (The 1.5 us begin when the look was due, not at its first exit:
 * calls come in bursts.)
 *
 * TAKING. When half of the budget is exceeded, one of these exits is picked, in turn the
 * first, second and so on, so frequent functions are met most often. Its function is
 * counted from then on if its calls are short compared with their hooks (by its
 * histogram), it makes no libc call that waits, and its hooks have cost as much as the
 * change does (price_is_paid()). If that is not enough, functions with longer calls
 * follow, and last those that hardly ever wait.
 *
 * GIVING BACK. See trials_note_call().
 */

/* Sets up a new lane. */
void budget_begin(struct lane_context *context);

/* An exit after check_ticks. function, call_site: the hook's arguments; node: of the
 * frame that was closed. */
void budget_look(struct lane_context *context, uint64_t function, uint64_t call_site,
		 uint32_t node, uint64_t return_address, uint64_t now);

/* Which functions are counted: those whose calls are short against their hooks, once
 * their hooks have cost what it takes; and whether they still are. Runs on: traced
 * threads, slow paths of the hooks, any context. Must not make a system call but to
 * write call sites. */

/* Of lane_budget.step: the limit doubles with each; in the last one functions that hardly
 * ever wait may go without frames, too. */
#define RULE_LAST_STEP 4u

/* The share of a thread's time that hooks of exact calls may take. */
double rule_allowed_share(void);

/* What a pair of hooks was calibrated to cost. */
double rule_pair_ticks(void);

/* Are calls with this mean short compared with their hooks? */
int rule_is_short(const struct lane_context *context, double mean_ticks);

/* What `calls` exact calls in `ticks` cost, as a fraction of what is allowed. */
double rule_cost(uint64_t calls, uint64_t ticks);

/* The mean of a function that calls itself, even by way of one or two others, includes
 * its inner calls and says nothing. It is counted when it costs this much. */
#define RULE_RECURSION_COST 0.25

/* May the function go without frames, whatever it costs? */
int rule_may_take(uint64_t function);

/* Does a function that has just returned call itself? */
int rule_is_recursive(const struct lane_context *context, uint64_t function);

/*
 * The price of having a function counted: writing its code takes some microseconds. It is
 * paid once the function's hooks have cost as much, as one buys skis once renting them
 * has cost their price. Without knowing how often the function will still be called no
 * rule guarantees better: at worst twice the optimum. Runs on: traced threads, any
 * context; all of them share the price.
 */

/* Have hooks that took hook_ticks cost as much as the change takes? Yes while the price
 * is not known. */
int price_is_paid(double hook_ticks);

/* Notes how long one change took. */
void price_note(uint64_t ticks);

/*
 * Trials: counted functions are timed again now and then, for some hundred calls, since
 * their mean may have changed. Runs on: traced threads, slow paths of the hooks, any
 * context. Must not make a system call but to write call sites.
 *
 * Each function is tried after 1, 4, 16 s and so on, six times at most. After two hundred
 * calls it is counted again if they were short and frequent enough to matter; else the
 * next two hundred are judged. A trial takes some 30 us, so it needs no forecast of how
 * often the function will be called.
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

/* Begins the trials that are due. */
void trials_look(struct lane_context *context, uint64_t now);

/*
 * One thread at a time changes how functions are recorded. Changes also come from
 * outside: the collector's answers (common/segment_control.h) may come after an object's
 * functions were first called, and rules about sources may then leave some of them out.
 * Runs on: traced threads, slow paths of the hooks, any context. Must not make a system
 * call but to read symbol tables and to write call sites.
 *
 * Nobody wakes a thread. Frequent slow paths check in memory for a new answer: the
 * budget's looks, pulses, new paths, beginning threads and, without a budget, an exit
 * every 12 ms. The first thread that sees one goes through the functions of all lanes;
 * each lane goes through its own again at its next look, since it may just have been
 * adding one.
 */

/* From look to look when there is no budget. */
#define CHANGES_LOOK_TICKS (clock_tenth_of_second() >> 3)

/* Takes the right to change. stack: the caller's. 0: another thread, or the code that
 * this handler interrupted, has it; do without. */
int changes_begin(struct lane_context *context, uintptr_t stack);
void changes_end(struct lane_context *context);

/* A handler has abandoned a change: it will be done again. */
void changes_abandon(struct lane_context *context);

/* The same after a fork in the middle of a change. */
void changes_forked(void);

void changes_take_over(struct lane_context *context);

/* Leaves out what new answers say. */
static inline void changes_follow(struct lane_context *context)
{
	if (unlikely(answers_count() != context->answers_seen))
		changes_take_over(context);
}
