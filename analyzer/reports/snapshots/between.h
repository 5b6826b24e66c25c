/* SPDX-License-Identifier: MIT */
/*
 * What call paths and allocation sites of a process had between two moments.
 *
 * Snapshots only have calls with a frame; counts of counted functions are known for the
 * whole run only. So functions that were not timed call by call are left out, and their
 * amounts go to their callers. Errors are parts of the whole run's, in proportion.
 */
#pragma once

#include "analyzer/reports/snapshots/find.h"
#include "analyzer/tree/calltree.h"

struct between {
	const struct snapshot_list *list;
	const struct snapshot_process *process;
	struct moment a, b, c; /* blocks have to survive until c */
};

/* False if a or b is a peak: then only live memory is known. */
bool between_has_times(const struct between *between);
/* Puts what happened between them into the tree of the run; live bytes are those at b,
 * and before those at a. Makes the tables `moments_between` and `sites_between`, see
 * between.sql. */
void between_load(struct report_input *input, const struct between *between,
		  struct calltree *tree);
/* Says which functions have no time and no calls. */
void between_note_left_out(struct doc *doc, const struct calltree *tree);
