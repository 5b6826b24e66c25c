/* SPDX-License-Identifier: MIT */
/* The call paths of a run. */
#pragma once

#include "analyzer/tree/calltree.h"
#include "analyzer/reports/report.h"

/* Loads the run's call paths, of all threads or of --thread; inlined copies are folded
 * unless --inlined is given. With --raw times are uncorrected. */
struct calltree *report_tree_load(struct report_input *input);
/* The same tree, loaded once and shared by its readers; owned by the input. */
struct calltree *report_call_tree(struct report_input *input);
/* Ends the command when the run has no thread as --thread says. */
void report_check_thread(struct report_input *input);
