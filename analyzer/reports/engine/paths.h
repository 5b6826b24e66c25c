/* SPDX-License-Identifier: MIT */
/*
 * The call tree as a table `tree` of queries: a row for each call path, callers before
 * callees; of --thread alone, and inlined copies in their hosts, unless --inlined. It is
 * loaded when the first query reads it. Columns:
 *
 *     path_id, parent_path_id, function_id, name, depth, is_frame, is_inlined
 *     is_folded           its time is its host's
 *     owner_id            the function that owns what it allocates
 *     is_outermost        no call of the function stands above it
 *     caller_id           the function whose code calls it
 *     is_outermost_edge   no call of this caller stands above it
 *     component           what it belongs to, see analyzer/tree/components.h
 *     is_outermost_component   no path of the component stands above it
 *     caller_component    that of its caller; NULL of a root
 *     is_outermost_component_edge   nothing from there to here stands above it
 *     self_ns, ...        what a path in a report has, see common/quantities.def
 */
#pragma once

#include "analyzer/tree/components.h"
#include "analyzer/reports/report.h"

#define PATHS_OUTERMOST 4

struct paths {
	struct report_input *input;
	struct calltree *tree; /* shown in place of the run's; NULL: not */
	bool *chosen;	       /* by node: the others are above nobody; NULL: all are */
	struct components components; /* found when a query asks first, as all below */
	bool *outermost[PATHS_OUTERMOST]; /* by node, of each column is_outermost... */
	bool has_failed;		  /* to be loaded: input->error says why */
};

/* Shows the table to queries. 0 or -errno. */
int paths_begin(struct paths *paths, struct report_input *input);
/* To be called in any case. */
void paths_end(struct paths *paths);
/* Loads it when it is not. NULL on failure. */
const struct calltree *paths_tree(struct paths *paths);
