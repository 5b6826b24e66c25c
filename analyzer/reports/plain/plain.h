/* SPDX-License-Identifier: MIT */
/* The times of the build without hooks, beside the counts of the run with them. */
#pragma once

#include "analyzer/reports/report.h"

/* Adds them, so many rows (0: all), and says which functions hooks have made slower or
 * faster than chance explains; nothing of a run that prof-record --plain did not make. */
enum exit_status plain_add(struct report_input *input, struct doc *doc, size_t limit);
