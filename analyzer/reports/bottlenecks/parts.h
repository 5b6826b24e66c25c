/* SPDX-License-Identifier: MIT */
/* The rules applied to a run: what bottlenecks and report share. */
#pragma once

#include "analyzer/findings/finding_suppress.h"
#include "analyzer/findings/quality.h"
#include "analyzer/findings/rule_limits.h"
#include "analyzer/reports/trust/facts.h"
#include "analyzer/rules/rule.h"

enum rule_outcome {
	OUTCOME_FOUND,
	OUTCOME_PASSED,
	OUTCOME_NOT_MEASURED,
	/* found nothing, but there were times that are not known and could be much */
	OUTCOME_NOT_JUDGED,
	OUTCOME_OFF,
};

/* What became of a rule. */
struct rule_state {
	const struct rule *rule;
	enum rule_outcome outcome;
	const char *reason; /* not measured, not judged: why; else NULL */
};

struct bottlenecks {
	struct rule_limits limits;
	struct finding_suppressions suppressions;
	struct findings findings;
	size_t filtered_count;	   /* findings that --focus and --ignore left out */
	struct quality quality;	   /* what lowered their confidence */
	int64_t unknown_count;	   /* functions whose times are not known */
	const char *unjudged;	   /* of which, and why; NULL: of none that matters */
	struct rule_state *states; /* one for each of the registry */
};

/* The limits: the default ones, changed by --rules FILE. */
enum exit_status bottlenecks_load_limits(struct report_input *input,
					 struct rule_limits *ret);
/* Applies all rules, ranks what they find and takes out what --suppressions lists and
 * what --focus and --ignore do not let through. */
enum exit_status bottlenecks_run(struct report_input *input,
				 const struct run_facts *facts,
				 const struct calltree *tree, struct bottlenecks *ret);
void bottlenecks_free(struct bottlenecks *bottlenecks);

/* Adds a note for each fact, and all of them for machines. */
void bottlenecks_add_quality(struct doc *doc, const struct quality *quality);
/* What is shown unless --limit says how many: machines get all, people what matters. */
enum severity bottlenecks_least(const struct report_input *input);
/* Adds what lowered their confidence, then the findings of severity least or above, at
 * most limit of them (0: all), and takes them out of bottlenecks. flags: of the section.
 */
void bottlenecks_add_findings(struct doc *doc, struct bottlenecks *bottlenecks,
			      size_t limit, enum severity least, unsigned flags);
/* Adds what became of the rules that found nothing. */
void bottlenecks_add_rules(struct doc *doc, const struct bottlenecks *bottlenecks);
/* Adds what was suppressed, and which suppressions have expired. */
void bottlenecks_add_suppressed(struct doc *doc, const struct bottlenecks *bottlenecks);
/* --list-rules: all rules with their limits. */
enum exit_status bottlenecks_list_rules(struct report_input *input, struct doc *doc);
