/* SPDX-License-Identifier: MIT */
/*
 * Which functions are counted: those whose calls are short against their hooks. Runs on:
 * traced threads, any context.
 */
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
