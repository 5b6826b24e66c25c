/* SPDX-License-Identifier: MIT */
/* The head of every document about one run. */
#pragma once

#include "analyzer/reports/trust/facts.h"

/* Fills a new document from the open databases through report->build, after resolving
 * --focus and --ignore. */
enum exit_status report_build(const struct report *report, struct report_input *input,
			      struct doc *doc);
/* Starts a document about one run: what it is, and whether it can be trusted. */
enum exit_status report_open(struct report_input *input, struct doc *doc,
			     struct run_facts *ret);
/* Adds the note that paths lack calls that were only counted, if they do. */
void report_counted_note(struct doc *doc, const struct run_facts *facts);
/* Adds the note that the times of inlined copies are folded, if there are any. */
void report_inlined_note(struct report_input *input, struct doc *doc,
			 const struct run_facts *facts);
