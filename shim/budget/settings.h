/* SPDX-License-Identifier: MIT */
/*
 * Follows what the run is asked for while it goes on: a budget, and rules for functions
 * (common/segment_control.h). Runs on: traced threads, slow paths of the hooks, any
 * context. Must not make a system call but to read symbol tables and to write call sites.
 *
 * Nobody wakes a thread. The slow paths that come often look into memory whether there is
 * something new: the budget's looks, pulses, new paths, threads that begin, and without
 * a budget an exit each 12 ms. The first thread that sees it takes it over for the
 * process and goes through the functions of all lanes; each lane goes through its own
 * once more at its next look, since it may just have been adding one.
 */
#pragma once

#include "common/attributes.h"
#include "common/segment_control.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/lane.h"

/* From look to look when there is no budget. */
#define SETTINGS_LOOK_TICKS (clock_tenth_of_second() >> 3)

/* A number that changes whenever anything does. */
static inline uint64_t settings_version(void)
{
	const struct segment_control *control = process_facts.control;

	/* acquire: pairs with the release of who publishes */
	return control ? __atomic_load_n(&control->setting_generation, __ATOMIC_ACQUIRE) +
				 __atomic_load_n(&control->table_generation,
						 __ATOMIC_ACQUIRE)
		       : 0;
}

/* How functions are recorded is changed by one thread at a time; others, and a handler
 * that interrupts it, go without. stack: of the caller. 0: not now. */
int settings_begin_change(struct lane_context *context, uintptr_t stack);
void settings_end_change(struct lane_context *context);

/* A handler has left a change in the middle: it is done again. */
void settings_abandon(struct lane_context *context);

void settings_take_over(struct lane_context *context);

/* Does what is asked, if that is something new. */
static inline void settings_follow(struct lane_context *context)
{
	if (unlikely(settings_version() != context->settings_seen))
		settings_take_over(context);
}

/* What holds when the process begins. The constructor, before any function is known. */
void settings_begin(void);

/* The process's slot, which is new, says what has been taken over. */
void settings_tell(void);

/* The same in a forked child. */
void settings_forked(void);

/* The generation of the rules in force. */
uint64_t settings_rules(void);
