/* SPDX-License-Identifier: MIT */
/* The functions of a run as a table. */
#pragma once

#include "analyzer/reports/trust/facts.h"

/* Whether some function of the table was not recorded call by call. */
bool functions_any_estimated(const struct table *table);
/* Ranks the rows, which are in the order of a column: those that are no further from the
 * first of their rank than the errors of both have the same. */
void functions_rank(struct table *table, const char *by);
/* Whether two of them have. */
bool functions_any_tied(const struct table *table);
/* Says what estimates in the rows mean; has_durations: of single calls are shown. */
void functions_add_note(struct report_input *input, struct doc *doc,
			const struct table *table, bool has_durations);
/* The column that says how hot a function is: one that sleeps is not. */
const char *functions_hot_column(const struct report_input *input,
				 const struct run_facts *facts);
/* Flat, in no order. NULL on failure. */
struct table *functions_table(struct report_input *input, const struct run_facts *facts);
