/* SPDX-License-Identifier: MIT */
/* The ranks of a job side by side. */
#pragma once

#include "analyzer/reports/report.h"

/* For the job that the run is a rank of, or whose ranks are its processes: which rank it
 * is, and how evenly the ranks are loaded. Nothing for runs that no launcher began. */
enum exit_status ranks_add_brief(struct report_input *input, struct doc *doc);
