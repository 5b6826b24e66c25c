/* SPDX-License-Identifier: MIT */
/*
 * A file of the user's that changes limits of rules, as JSON:
 *
 *     {"rules": {"T0": {"limits": {"high_ns": 1e9}}, "M3": {"enabled": false}}}
 *
 * A rule is named by its id or slug, "enabled": false leaves it out, and a limit is a
 * number or an object with "value".
 */
#pragma once

#include "analyzer/findings/rule_limits.h"
#include "common/base/strbuf.h"

/* Takes what the text changes. Limits that contradict each other afterwards are refused.
 * name: of the file, for the sentence in error. 0 or -EINVAL. */
int rules_file_read(struct rule_limits *limits, const char *text, size_t size,
		    const char *name, struct strbuf *error);
