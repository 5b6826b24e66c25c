/* SPDX-License-Identifier: MIT */
/*
 * A user's file that changes limits of rules, as JSON:
 *
 *     {"rules": {"T0": {"limits": {"high_ns": 1e9}}, "M3": {"enabled": false}}}
 *
 * Rules are named by id or slug; "enabled": false turns one off. A limit is a number or
 * an object with "value".
 */
#pragma once

#include "analyzer/findings/rule_limits.h"

/* Applies the text's changes. Ends the command if it is malformed, or limits contradict
 * each other afterwards. name: the file's. */
void rules_file_read(struct rule_limits *limits, const char *text, size_t size,
		     const char *name);
