/* SPDX-License-Identifier: MIT */
/*
 * The call tree as table `tree` for queries: a row for each call path, callers before
 * callees. --thread restricts it to that thread; inlined copies are folded into their
 * hosts without --inlined. It is loaded when a query first reads it. Columns:
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
	struct calltree *tree; /* shown instead of the run's tree; NULL: the run's */
	bool *chosen;	       /* by node: only these count as above others; NULL: all */
	struct components components; /* computed when a query first asks, as all below */
	bool *outermost[PATHS_OUTERMOST]; /* by node, for each column is_outermost... */
};

/* Makes the table available to queries. */
void paths_begin(struct paths *paths, struct report_input *input);
/* Must be called in any case. */
void paths_end(struct paths *paths);
/* Loads the tree if needed. */
const struct calltree *paths_tree(struct paths *paths);
