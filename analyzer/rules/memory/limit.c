/* SPDX-License-Identifier: MIT */
/*
 * Rule M13: memory over a limit that the user has set. Must not have a limit of its own:
 * what is too much only the user knows.
 */
#include "analyzer/rules/rule.h"

#include "memory_limit.sql.h"

static const struct rule_limit limits[] = {
	{"peak_bytes", 0, "bytes", .meaning = "highest peak allowed; 0: none"},
	{"rss_bytes", 0, "bytes",
	 .meaning = "highest resident set of a process allowed; 0: none"},
	{0},
};

const struct rule rule_memory_limit = {
	.id = "M13",
	.slug = "memory-limit",
	.limits = limits,
	.title = "More memory than the limit",
	.summary =
		"peak or resident set are above a limit from the rules file; without one "
		"it does nothing",
	.specific = 1,
	.needs = MEASURED_OWN,
	.sql = memory_limit_sql_memory,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("peak", "bytes", "peak", "peak_most"),
			RULE_LEAST("highest resident set", "bytes", "rss", "rss_most"),
			RULE_TELLS("too much", "bytes", "saving_bytes"),
			{0}},
	.why = "the run took more memory than the limit that was set for it",
	.advice =
		{"see who has it: 'prof-analyze memory' shows what was live at the peak",
		 "raise the limit in the rules file when the memory is meant"},
	.proof = "{proof}",
	.least = SEVERITY_HIGH,
};
