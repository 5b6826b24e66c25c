/* SPDX-License-Identifier: MIT */
/* What the parts of the report exclude-list share. */
#pragma once

#include "common/base/text.h"
#include "analyzer/reports/report.h"

/* build.c: of --program. */
enum exit_status exclude_program(struct report_input *input, struct doc *doc);

/* Appends the name that gcc sees: "ns::twice<int>" for "int ns::twice<int>(int)",
 * "ns::{anonymous}::f" for "ns::(anonymous namespace)::f()". */
void exclude_visible(struct strbuf *buffer, const char *name);
/*
 * Appends the part of that name to match. It leaves out what gcc spells differently than
 * demanglers: template arguments (gcc omits defaults). ">::get" for "ns::Box<int,
 * 3>::get". Nothing if no part can be matched: lambdas, or characters that cannot be in
 * a flag.
 */
void exclude_word(struct strbuf *buffer, const char *visible);
