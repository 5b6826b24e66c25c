/* SPDX-License-Identifier: MIT */
/* Holds what recording costs below PROFSHIM_OVERHEAD, and who changes how functions are
 * recorded. Runs on: traced threads, slow paths of the hooks, any context. Must not make
 * a system call but to write call sites, and to read symbol tables. */
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "shim/core/answers.h"
#include "shim/core/clock.h"
#include "shim/lane/lane.h"

/*
 * Holds what recording costs below PROFSHIM_OVERHEAD: a call is timed as long as it takes
 * well more than its hooks do, else it is only counted. Runs on: traced threads, slow
 * paths of the hooks, any context. Must not make a system call but to write call sites.
 *
 * LOOKING. From the time on that check_ticks says the exits of 1.5 us are looked at: how
 * many there are, times what a pair of hooks costs, is the share of the hooks. It costs
 * what was calibrated, times what samples in our own code say of that here. Looks come
 * each 12 us as long as the budget is exceeded, less and less often when it is not, or
 * nothing is found, up to 0.8 ms: about 0.2 % of the time. (The time is counted from when
 * it was due, not from the first exit: calls come in heaps.)
 *
 * TAKING. When half of the budget is exceeded, one of these exits is picked, so that who
 * exits most often is met most often. Its function is counted from then on when its calls
 * are short against their hooks, by its histogram, it makes no call of libc that waits,
 * and its hooks have cost what it takes (price_is_paid()). Where that is not enough,
 * longer ones, too; last those that hardly ever wait.
 *
 * GIVING BACK. See trials_note_call().
 */

/* For a lane that begins. */
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
int rule_may_take(uint64_t function);

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

/*
 * How functions are recorded is changed by one thread at a time. And the changes that
 * come from outside: functions that rules about their sources leave out, in objects that
 * the collector had not answered for (common/segment_control.h) when they were first
 * called. Runs on: traced threads, slow paths of the hooks, any context. Must not make a
 * system call but to read symbol tables and to write call sites.
 *
 * Nobody wakes a thread. The slow paths that come often look into memory whether there is
 * another answer: the budget's looks, pulses, new paths, threads that begin, and without
 * a budget an exit each 12 ms. The first thread that sees it goes through the functions
 * of all lanes; each lane goes through its own once more at its next look, since it may
 * just have been adding one.
 */

/* From look to look when there is no budget. */
#define CHANGES_LOOK_TICKS (clock_tenth_of_second() >> 3)

/* Others, and a handler that interrupts it, go without. stack: of the caller. 0: not
 * now. */
int changes_begin(struct lane_context *context, uintptr_t stack);
void changes_end(struct lane_context *context);

/* A handler has left a change in the middle: it is done again. */
void changes_abandon(struct lane_context *context);

/* Likewise the fork that made this process. */
void changes_forked(void);

void changes_take_over(struct lane_context *context);

/* Leaves out what new answers say. */
static inline void changes_follow(struct lane_context *context)
{
	if (unlikely(answers_count() != context->answers_seen))
		changes_take_over(context);
}
