/* SPDX-License-Identifier: MIT */
/*
 * The report that prof-record --report shows after the run. Must not write to standard
 * output, which is the program's; end prof-record.
 */
#pragma once

#include "record/one.h"

/* Has prof-analyze write the report of the run to --report-file, or else to standard
 * error; says why when there is none. */
void record_report(const struct record_task *task, const struct record_result *result);
