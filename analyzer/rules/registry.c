/* SPDX-License-Identifier: MIT */
/*
 * The list of rules, in the order of --list-rules. Must not do more than list and find.
 */
#include "analyzer/rules/rule.h"

#include <string.h>

/* clang-format off */
#define RULES(RULE)                                                                      \
	RULE(slow_call) RULE(hot_leaf) RULE(tiny_calls) RULE(chatty_edge)                \
	RULE(tail_latency) RULE(two_modes) RULE(long_call)                               \
	RULE(thread_imbalance) RULE(deep_recursion) RULE(start_up) RULE(likely_hot)      \
	RULE(step_drift) RULE(slow_steps) RULE(step_growth)                              \
	RULE(page_faults) RULE(cpu_low) RULE(cpu_high) RULE(starved)                     \
	RULE(too_many_threads)                                                           \
	RULE(long_wait) RULE(polling_loop) RULE(sleep_in_step)                           \
	RULE(contended_lock) RULE(held_asleep) RULE(convoy) RULE(taking_turns)           \
	RULE(small_transfers) RULE(sync_storm) RULE(open_again)                          \
	RULE(allocation_rate) RULE(churn) RULE(temporary) RULE(realloc_growth)           \
	RULE(snapshot_growth) RULE(live_at_exit) RULE(peak_owner)                        \
	RULE(big_blocks) RULE(small_objects) RULE(cross_thread_frees)                    \
	RULE(memory_limit)                                                               \
	RULE(quality)
/* clang-format on */

#define DECLARE(name) extern const struct rule rule_##name;
RULES(DECLARE)

#define LIST(name) &rule_##name,
const struct rule *const rule_registry[] = {RULES(LIST)};
const size_t rule_registry_count = sizeof(rule_registry) / sizeof(rule_registry[0]);

const struct rule *rule_find(const char *word)
{
	for (size_t i = 0; i < rule_registry_count; i++)
		if (strcasecmp(rule_registry[i]->id, word) == 0 ||
		    strcasecmp(rule_registry[i]->slug, word) == 0)
			return rule_registry[i];
	return NULL;
}
