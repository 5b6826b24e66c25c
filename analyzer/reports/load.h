/* SPDX-License-Identifier: MIT */
/* The call paths of a run. */
#pragma once

#include "analyzer/tree/calltree.h"
#include "analyzer/reports/report.h"

/* Loads the run's call paths, of all threads or of --thread; inlined copies are folded
 * unless --inlined is given. With --raw times are uncorrected. NULL on failure. */
struct calltree *report_tree_load(struct report_input *input);
/* The same tree, loaded once and shared by its readers; owned by the input. */
const struct calltree *report_call_tree(struct report_input *input);
/* Checks --thread and adds notes about shared lanes. */
enum exit_status report_check_thread(struct report_input *input, struct doc *doc);
