/* SPDX-License-Identifier: MIT */
/* The functions of a run as a table. */
#pragma once

#include "analyzer/reports/trust/facts.h"

/* Whether some function of the table was not recorded call by call. */
bool functions_any_estimated(const struct table *table);
/* Flat, in no order. NULL on failure. */
struct table *functions_table(struct report_input *input, const struct run_facts *facts);
