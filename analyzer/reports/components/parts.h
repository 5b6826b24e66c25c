/* SPDX-License-Identifier: MIT */
/* What the reports that know components share. */
#pragma once

#include "analyzer/tree/components.h"
#include "analyzer/reports/report.h"

/* What the word of --by means, of "source" and "namespace"; else by modules. */
enum component_by components_by(const char *word);
/* One for each function of the tree, with texts in the tree's memory. Owned by caller,
 * NULL on failure. */
struct components_function *components_describe(struct report_input *input,
						struct calltree *tree,
						enum component_by by);
