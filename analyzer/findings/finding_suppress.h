/* SPDX-License-Identifier: MIT */
/*
 * Suppressions of findings, from JSON: what somebody decided to live with. Must not read
 * files, or drop anything without counting it.
 *
 *     {"suppressions": [
 *         {"rule": "T3", "function": "^parse$", "reason": "the format asks for it",
 *          "expires": "2027-03-31"}
 *     ]}
 *
 * rule is an id, a slug, or "*". function is a POSIX extended regular expression,
 * searched in the finding's function; without it any matches. expires is the last day on
 * which the suppression holds.
 */
#pragma once

#include "common/base/text.h"
#include "analyzer/findings/finding.h"

#include <regex.h>

struct finding_suppression {
	/* function: NULL when left out */
	const char *rule, *function, *reason, *expires;
	regex_t pattern;
	bool has_pattern, is_expired;
	size_t count; /* number of findings removed */
};

/* Zeroed: suppresses nothing. */
struct finding_suppressions {
	struct finding_suppression *list;
	size_t count;
};

/* Adds those of a text, or ends the command with file, line and key of what is wrong.
 * today: "2026-11-21". is_rule: whether a rule of this name exists. */
void finding_suppressions_parse(struct finding_suppressions *suppressions,
				const char *text, size_t size, const char *name,
				const char *today, bool (*is_rule)(const char *word));

/* Removes suppressed findings. is_rule: whether a word names the rule of a finding. */
void finding_suppressions_apply(struct finding_suppressions *suppressions,
				struct findings *findings,
				bool (*names_rule)(const char *word,
						   const struct rule *rule));
