/* SPDX-License-Identifier: MIT */
/* Applying the rules to a run, for bottlenecks and the report. */
#pragma once

#include "analyzer/findings/rule_limits.h"
#include "analyzer/reports/report.h"
#include "analyzer/rules/rule.h"

/* Zeroed: the rules did not run. */
struct bottlenecks {
	struct findings findings;
	size_t left_out_count; /* findings that --focus and --ignore left out */
	/* Functions that rules about time could not judge, and why; NULL: none that
	 * matter. */
	const char *unjudged;
};

/* Loads the default limits, changed by --rules FILE. */
void bottlenecks_load_limits(struct report_input *input, struct rule_limits *ret);
/* Applies all rules, ranks the findings, removes those that --suppressions lists or
 * --focus and --ignore exclude, and fills the tables rule_states and suppressed_findings
 * of found.sql. The input's facts are loaded. */
void bottlenecks_run(struct report_input *input, struct doc *doc,
		     struct bottlenecks *ret);

/* The same for doctor; also loads the facts, and fills the tables quality and found. */
void bottlenecks_judge(struct report_input *input, struct doc *doc);
/* Adds at most limit findings (0: all), then what is not among them. Without --limit
 * machines get all, people what matters. flags: those of the section. STATUS_REGRESSION:
 * --fail-on counts some. */
enum exit_status bottlenecks_add_findings(struct report_input *input, struct doc *doc,
					  struct bottlenecks *bottlenecks, size_t limit,
					  unsigned flags);
/* If threads of the run's only process wait for each other, bounds gains by the critical
 * path; fills the table critical_bound. */
void bottlenecks_bound(struct report_input *input, struct findings *findings);
/* Lists all rules with their limits, for --list-rules. */
void bottlenecks_list_rules(struct report_input *input, struct doc *doc);
