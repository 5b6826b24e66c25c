/* SPDX-License-Identifier: MIT */
/* The head of every document about one run. */
#pragma once

#include "analyzer/reports/trust/facts.h"

/* Fills a new document about what input has opened, as report->build does: with what
 * --focus and --ignore mean there. */
enum exit_status report_build(const struct report *report, struct report_input *input,
			      struct doc *doc);
/* Opens a document about one run: what it is, whether it can be trusted. */
enum exit_status report_open(struct report_input *input, struct doc *doc,
			     struct run_facts *ret);
/* Adds the note that paths lack calls that were only counted, if they do. */
void report_counted_note(struct doc *doc, const struct run_facts *facts);
/* Adds the note that the times of inlined copies are folded, if there are any. */
void report_inlined_note(struct report_input *input, struct doc *doc,
			 const struct run_facts *facts);
