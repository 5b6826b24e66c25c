/* SPDX-License-Identifier: MIT */
/* The head of every document about one run. */
#pragma once

#include "analyzer/reports/report.h"

/* Fills a new document from the open databases through report->build, after resolving
 * --focus and --ignore. */
enum exit_status report_build(const struct report *report, struct report_input *input,
			      struct doc *doc);
/* Starts a document about one run: what it is, and whether it can be trusted. */
void report_open(struct report_input *input, struct doc *doc);
