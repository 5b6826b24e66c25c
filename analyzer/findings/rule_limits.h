/* SPDX-License-Identifier: MIT */
/*
 * The limits of the rules: as each rule declares them, and the values that hold, which a
 * file of the user's may have changed.
 */
#pragma once

#include "common/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A line of a rule's table, which ends with a line without a name. */
struct rule_limit {
	const char *name; /* "high_ns" */
	double value;	  /* by default */
	const char *unit, *meaning;
	/* Limits that contradict each other would make a rule silent, or two rules that
	 * divide cases would both take some: it is not below least, not above most (0:
	 * any value may be), and not above another one, of this rule or "M8.big_bytes".
	 */
	double least, most;
	const char *not_above;
};

struct rule_limit_value {
	const char *rule; /* "T0" */
	const struct rule_limit *limit;
	double value;
	bool is_changed; /* by a file of the user's */
	const char *key; /* of its rule in that file; NULL: it does not name the limit */
};

/* Zeroed: no rules. */
struct rule_limits {
	struct rule_limit_value *values; /* of one rule together, in its table's order */
	size_t value_count;
	struct rule_limits_entry {
		const char *id, *slug;
		bool is_enabled;
		bool is_changed; /* a file of the user's has named it */
	} * rules;
	size_t rule_count;
	struct arena texts; /* of a file */
};

/* Adds a rule with the values that its table has; NULL: it has no limits. Texts are
 * borrowed. */
void rule_limits_declare(struct rule_limits *limits, const char *id, const char *slug,
			 const struct rule_limit *table);
void rule_limits_free(struct rule_limits *limits);

/* By the rule's id; NULL: there is no such limit. */
struct rule_limit_value *rule_limits_find(const struct rule_limits *limits,
					  const char *rule, const char *name);
/* By id or slug, ignoring case; NULL: there is no such rule. */
struct rule_limits_entry *rule_limits_rule(const struct rule_limits *limits,
					   const char *word);

/* blamed is above the other limit or number, or below it. */
struct rule_limits_conflict {
	const struct rule_limit_value *blamed;
	const struct rule_limit_value *other; /* NULL: number */
	double number;
	bool is_above;
};

/* Looks for limits that contradict each other, and blames one that a file names where it
 * can. */
bool rule_limits_conflict(const struct rule_limits *limits,
			  struct rule_limits_conflict *ret);
