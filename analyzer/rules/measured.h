/* SPDX-License-Identifier: MIT */
/*
 * Which measurements are valid for a run: the one place that decides it. A rule names
 * those that it needs, and is not asked where one is missing. Must not be gone round: a
 * rule that reads a number of which the recording does not know whether it is one, raises
 * false alarms.
 */
#pragma once

#include "analyzer/rules/rule.h"

/* Looks at the run, before any rule is asked. 0 or -errno (then input->error is set). */
int measured_find(struct rule_input *input);
/* The reason why the first of these is not valid; NULL: all are. */
const char *measured_missing(const struct rule_input *input, unsigned needs);
/* Appends "calls, wall time". */
void measured_put_words(struct strbuf *text, unsigned needs);
