/* SPDX-License-Identifier: MIT */
/* Times of the build without hooks, beside the counts of the hooked run. */
#pragma once

#include "analyzer/reports/report.h"

/* Adds the table with so many rows (0: all), and says which functions hooks made
 * slower or faster than chance explains. Adds nothing unless prof-record --plain
 * made the run. */
enum exit_status plain_add(struct report_input *input, struct doc *doc, size_t limit);
