/* SPDX-License-Identifier: MIT */
/*
 * The list of rules, in the order of --list-rules. Must not do more than list and find:
 * one line for each rule.
 */
#include "analyzer/rules/rule.h"

#include <string.h>

extern const struct rule rule_slow_call;
extern const struct rule rule_hot_leaf;
extern const struct rule rule_tiny_calls;
extern const struct rule rule_chatty_edge;
extern const struct rule rule_tail_latency;
extern const struct rule rule_two_modes;
extern const struct rule rule_long_call;
extern const struct rule rule_thread_imbalance;
extern const struct rule rule_deep_recursion;
extern const struct rule rule_start_up;
extern const struct rule rule_step_drift;
extern const struct rule rule_slow_steps;
extern const struct rule rule_step_growth;
extern const struct rule rule_page_faults;
extern const struct rule rule_cpu_low;
extern const struct rule rule_cpu_high;
extern const struct rule rule_starved;
extern const struct rule rule_too_many_threads;
extern const struct rule rule_long_wait;
extern const struct rule rule_polling_loop;
extern const struct rule rule_sleep_in_step;

extern const struct rule rule_allocation_rate;
extern const struct rule rule_churn;
extern const struct rule rule_temporary;
extern const struct rule rule_realloc_growth;
extern const struct rule rule_snapshot_growth;
extern const struct rule rule_live_at_exit;
extern const struct rule rule_peak_owner;
extern const struct rule rule_big_blocks;
extern const struct rule rule_small_objects;
extern const struct rule rule_cross_thread_frees;
extern const struct rule rule_memory_limit;

extern const struct rule rule_quality;

const struct rule *const rule_registry[] = {
	&rule_slow_call,
	&rule_hot_leaf,
	&rule_tiny_calls,
	&rule_chatty_edge,
	&rule_tail_latency,
	&rule_two_modes,
	&rule_long_call,
	&rule_thread_imbalance,
	&rule_deep_recursion,
	&rule_start_up,
	&rule_step_drift,
	&rule_slow_steps,
	&rule_step_growth,
	&rule_page_faults,
	&rule_cpu_low,
	&rule_cpu_high,
	&rule_starved,
	&rule_too_many_threads,
	&rule_long_wait,
	&rule_polling_loop,
	&rule_sleep_in_step,
	&rule_allocation_rate,
	&rule_churn,
	&rule_temporary,
	&rule_realloc_growth,
	&rule_snapshot_growth,
	&rule_live_at_exit,
	&rule_peak_owner,
	&rule_big_blocks,
	&rule_small_objects,
	&rule_cross_thread_frees,
	&rule_memory_limit,
	&rule_quality,
};
const size_t rule_registry_count = sizeof(rule_registry) / sizeof(rule_registry[0]);

const struct rule *rule_find(const char *word)
{
	for (size_t i = 0; i < rule_registry_count; i++)
		if (strcasecmp(rule_registry[i]->id, word) == 0 ||
		    strcasecmp(rule_registry[i]->slug, word) == 0)
			return rule_registry[i];
	return NULL;
}
