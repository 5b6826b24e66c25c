/* SPDX-License-Identifier: MIT */
/* Tables of a report: sorted, cut to the rows that are shown, with what is left out
 * summed up, and put into the document. For engine.c. */
#pragma once

#include "analyzer/reports/engine/part.h"
#include "analyzer/reports/engine/run.h"

/* How many rows from the first on have the same in that column. */
size_t engine_rows_alike(const struct table *table, size_t first, const char *column);

/* Adds the part's table, or several: one for each value of its column `each`. The table
 * is the callee's. */
enum exit_status engine_add_tables(struct engine *engine, const struct report_part *part,
				   struct table *table);
