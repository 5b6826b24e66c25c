/* SPDX-License-Identifier: MIT */
/* The rules applied to a run: what bottlenecks and report share. */
#pragma once

#include "analyzer/findings/rule_limits.h"
#include "analyzer/reports/trust/facts.h"
#include "analyzer/rules/rule.h"

/* Zeroed: nothing was looked for. */
struct bottlenecks {
	struct findings findings;
	size_t left_out_count; /* findings that --focus and --ignore left out */
	/* Of which functions rules about time could not judge, and why; NULL: of none
	 * that matters. */
	const char *unjudged;
};

/* The limits: the default ones, changed by --rules FILE. */
enum exit_status bottlenecks_load_limits(struct report_input *input,
					 struct rule_limits *ret);
/* Applies all rules, ranks what they find, takes out what --suppressions lists and what
 * --focus and --ignore do not let through, and fills the tables rule_states and
 * suppressed_findings of found.sql. */
enum exit_status bottlenecks_run(struct report_input *input, struct doc *doc,
				 const struct run_facts *facts,
				 const struct calltree *tree, struct bottlenecks *ret);
void bottlenecks_free(struct bottlenecks *bottlenecks);

/* The same for doctor: fills the tables quality and found, too. */
enum exit_status bottlenecks_judge(struct report_input *input, struct doc *doc);
/* Adds the findings, then what is not among them, at most limit of them (0: all),
 * and takes them out of the list; unless --limit says how many, machines get all, people
 * what matters. flags: of the section. STATUS_REGRESSION: --fail-on has found some. */
enum exit_status bottlenecks_add_findings(struct report_input *input, struct doc *doc,
					  const struct run_facts *facts,
					  struct bottlenecks *bottlenecks, size_t limit,
					  unsigned flags);
/* Cuts gains of computing to what the critical path leaves, where threads of the run's
 * one process wait for one another; fills the table critical_bound. */
enum exit_status bottlenecks_bound(struct report_input *input,
				   const struct run_facts *facts,
				   struct findings *findings);
/* --list-rules: all rules with their limits. */
enum exit_status bottlenecks_list_rules(struct report_input *input, struct doc *doc);
