/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the list of rules, in the order of --list-rules.
 * Runs on:       prof-analyze, main thread.
 * Must not:      do more than list and find: one line for each rule.
 * See also:      rule.h, the contract.
 */
#include "analyzer/rules/rule.h"

#include <string.h>

extern const struct rule rule_slow_call;

const struct rule *const rule_registry[] = {
	&rule_slow_call,
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
