/* SPDX-License-Identifier: MIT */
/*
 * The limits of rules: their declarations, and the current values, which a user's file
 * may have changed.
 */
#pragma once

#include "common/base/xalloc.h"

#include <stdbool.h>
#include <stddef.h>

/* A limit of a rule's table, which ends with a line without a name. */
struct rule_limit {
	const char *name; /* "high_ns" */
	double value;	  /* by default */
	const char *unit, *meaning;
	/* Contradicting limits would silence a rule, or let two rules report the same
	 * case. So a value must not be below least, above most (0: no maximum), or above
	 * another limit, of this rule or like "M8.big_bytes". */
	double least, most;
	const char *not_above;
};

struct rule_limit_value {
	const char *rule; /* "T0" */
	const struct rule_limit *limit;
	double value;
	bool is_changed; /* by a user's file */
	const char *key; /* the rule's key in that file; NULL: the file does not name the
			    limit */
};

/* Zeroed: no rules. */
struct rule_limits {
	struct rule_limit_value
		*values; /* those of a rule together, in the order of its table */
	size_t value_count;
	struct rule_limits_entry {
		const char *id, *slug;
		bool is_enabled;
		bool is_changed; /* a user's file has named it */
	} * rules;
	size_t rule_count;
	struct arena texts; /* of a file */
};

/* Adds a rule with the default values of its table; NULL: no limits. Texts are
 * borrowed. */
void rule_limits_declare(struct rule_limits *limits, const char *id, const char *slug,
			 const struct rule_limit *table);

/* Finds a limit by the rule's id; NULL: none. */
struct rule_limit_value *rule_limits_find(const struct rule_limits *limits,
					  const char *rule, const char *name);
/* Finds a rule by id or slug, ignoring case; NULL: none. */
struct rule_limits_entry *rule_limits_rule(const struct rule_limits *limits,
					   const char *word);

/* blamed is above or below the other limit or number. */
struct rule_limits_conflict {
	const struct rule_limit_value *blamed;
	const struct rule_limit_value *other; /* NULL: number */
	double number;
	bool is_above;
};

/* Looks for contradicting limits; if possible blames one that a file names. */
bool rule_limits_conflict(const struct rule_limits *limits,
			  struct rule_limits_conflict *ret);
