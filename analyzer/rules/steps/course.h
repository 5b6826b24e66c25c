/* SPDX-License-Identifier: MIT */
/* The steps of one name over the run: what the rules about steps look at. */
#pragma once

#include "analyzer/rules/rule.h"

/* Twice what the shim keeps: a damaged file may have more. */
#define STEP_SPANS_MOST 128

struct steps {
	const char *name;
	int64_t series_id;
	/* total_ns: less what they waited for a CPU (ready_ns), and so means. */
	double count, total_ns, ready_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns;
	/* The course: spans in order. */
	size_t span_count;
	double counts[STEP_SPANS_MOST], means[STEP_SPANS_MOST], live[STEP_SPANS_MOST],
		seconds[STEP_SPANS_MOST];
};

/* Calls look() for the steps of each name that are at least as many as the rule's limit
 * least_steps. of_processes: for those of each process by itself. */
int steps_for_each(struct rule_input *input, struct findings *ret, bool of_processes,
		   int (*look)(struct rule_input *, struct findings *, struct steps *));
/* Whether values of the spans rise over the course, not by chance. */
bool steps_rise(const struct steps *steps, const double *values, double p_highest);
/* A finding about them. */
struct finding *steps_add(struct rule_input *input, struct findings *ret,
			  const struct steps *steps);
