/* SPDX-License-Identifier: MIT */
/* Samples of programs without hooks, as sections of other reports. */
#pragma once

#include "analyzer/reports/report.h"
#include "analyzer/reports/trust/trust.h"

/* Adds functions, modules and lines, so many rows of each (0: all); nothing of a run that
 * has no such samples. */
enum exit_status sampled_add(struct report_input *input, struct doc *doc,
			     const struct run_facts *facts, size_t limit);
