/* SPDX-License-Identifier: MIT */
/* The sections of key numbers that several reports show. */
#pragma once

#include "analyzer/reports/trust/facts.h"

/* What ran, when, for how long, how much was recorded. */
void summary_add_run(struct report_input *input, struct doc *doc,
		     const struct run_facts *facts);
/* Allocations, peak, live at exit. */
void summary_add_memory(struct doc *doc, const struct run_facts *facts);
