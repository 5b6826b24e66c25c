/* SPDX-License-Identifier: MIT */
/*
 * The report beside run.db that PROFSHIM_REPORT asks for. Runs on: profshim-collect, when
 * the run is stored and nobody waits any longer. Must not touch run.db, or leave an older
 * report that could be taken for this run's.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

/* Has prof-analyze write run-report.txt, .md or .json beside the file run.db. When that
 * fails, or takes more than a minute, run-report.error says why instead. */
void report_file_write(const struct segment_run *run, int64_t run_id);
