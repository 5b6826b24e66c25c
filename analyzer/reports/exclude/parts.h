/* SPDX-License-Identifier: MIT */
/* What the parts of the report exclude-list share. */
#pragma once

#include "common/base/strbuf.h"
#include "analyzer/reports/report.h"

/* build.c: of --program. */
enum exit_status exclude_program(struct report_input *input, struct doc *doc);

/* Appends that name of a demangled one: "ns::twice<int>" of "int ns::twice<int>(int)",
 * "ns::{anonymous}::f" of "ns::(anonymous namespace)::f()". */
void exclude_visible(struct strbuf *buffer, const char *name);
/*
 * Appends the part of a visible name to look for: not what gcc writes in another way than
 * demanglers, the template arguments of classes (it leaves out defaults): ">::get" of
 * "ns::Box<int, 3>::get", nor those of a function. Nothing when there is none: of a
 * lambda, or with characters that cannot stand in a flag.
 */
void exclude_word(struct strbuf *buffer, const char *visible);
