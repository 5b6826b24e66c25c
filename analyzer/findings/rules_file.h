/* SPDX-License-Identifier: MIT */
/*
 * The limits of the rules, from JSON. Must not read files or print.
 *
 * The default file is analyzer/rules.json: each rule by its id with slug, and each limit
 * with value, unit and meaning. A file of the user's has the same form, with only what it
 * changes; a limit may be a plain number, and "enabled": false leaves a rule out:
 *
 *     {"rules": {"T0": {"limits": {"high_ns": 1e9}}, "M3": {"enabled": false}}}
 *
 * The default file's "order" lists limits that must not exceed the next one, or a number:
 *
 *     "order": [["T0.low_ns", "T0.medium_ns", "T0.high_ns"], ["T1.own_share", 1]]
 */
#pragma once

#include "common/base/arena.h"
#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rules_limit {
	const char *rule, *name; /* "T0", "high_ns" */
	double value;
	const char *unit, *meaning;
	bool is_changed; /* by a file of the user's */
	const char *key; /* of its rule in that file; NULL: it does not name the limit */
};

/* A limit, or a number when limit is RULES_NUMBER. */
struct rules_side {
	size_t limit; /* number in limits */
	double value;
};
#define RULES_NUMBER SIZE_MAX

/* lesser must not be above greater. */
struct rules_order {
	struct rules_side lesser, greater;
};

/* Zeroed: no rules. */
struct rules_file {
	struct rules_limit *limits; /* of one rule together, in the file's order */
	size_t limit_count, limit_capacity;
	struct rules_entry {
		const char *id, *slug;
		bool is_enabled;
		bool is_changed; /* a file of the user's has named it */
	} * rules;
	size_t rule_count, rule_capacity;
	struct rules_order *orders;
	size_t order_count, order_capacity;
	struct arena texts;
};

/* Takes the default file, which defines rules and limits; text is NUL-terminated. name:
 * of the file, for the sentence in error. 0 or -EINVAL. */
int rules_file_define(struct rules_file *rules, const char *text, const char *name,
		      struct strbuf *error);
/* Takes a file of the user's, which changes them. Rules are named by id or slug. Limits
 * that contradict each other afterwards are refused. */
int rules_file_change(struct rules_file *rules, const char *text, size_t size,
		      const char *name, struct strbuf *error);
void rules_file_free(struct rules_file *rules);

/* By the rule's id; NULL: there is no such limit or rule. */
const struct rules_limit *rules_file_limit(const struct rules_file *rules,
					   const char *rule, const char *name);
const struct rules_entry *rules_file_rule(const struct rules_file *rules,
					  const char *rule);
