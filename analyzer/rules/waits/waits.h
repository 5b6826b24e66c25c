/* SPDX-License-Identifier: MIT */
/* The waits of the program, by the function that asked for them and what it called. */
#pragma once

#include "analyzer/rules/rule.h"

struct wait {
	int64_t function_id, path_id; /* who waited; where most */
	/* The call of libc; NULL: in code of its own, so for what is not known. Valid
	 * while it is looked at. */
	const char *callee;
	double calls, blocked_ns;
	/* Of them what the first threads of processes did, which the run waits for. */
	double first_calls, first_blocked_ns;
	double longest_ns; /* one of them, at most; 0: not known */
};

/* Calls look() for each that slept for least_ns in all, the longest first. RULE_DONE or
 * -errno, or what look() returned when negative. */
int wait_for_each(struct rule_input *input, double least_ns, struct findings *ret,
		  int (*look)(struct rule_input *, struct findings *, const struct wait *,
			      const void *),
		  const void *context);
/* A finding about who waited: function and path, and the callee in its query. */
struct finding *wait_finding(struct rule_input *input, struct findings *ret,
			     const struct wait *wait);
/* It asked for nothing but to wait. */
bool wait_is_sleep(const struct wait *wait);
/* For what may be other threads or processes of the program, or for whoever has work for
 * it: such a wait is no defect by itself. */
bool wait_is_for_others(const struct rule_input *input, const struct wait *wait);
