/* SPDX-License-Identifier: MIT */
/*
 * What call paths and allocation sites of a process had between two moments.
 *
 * Snapshots hold calls that have a frame: what a function was only counted is known of
 * the whole run, so functions that were not timed call by call are left out of the paths,
 * and what they have there is their callers'. Errors of times are those of the whole run,
 * in proportion.
 */
#pragma once

#include "analyzer/reports/snapshots/find.h"
#include "analyzer/tree/calltree.h"

struct between {
	const struct snapshot_list *list;
	const struct snapshot_process *process;
	struct moment a, b, c; /* c: until which blocks have to survive */
};

/* Of a peak only what was live is known. */
bool between_has_times(const struct between *between);
/* Puts what was between them into the tree of the run; live bytes are those at b, and at
 * a. From now on queries have the tables `moments_between` and `sites_between`, see
 * between.sql. 0, or -1 with the input's error. */
int between_load(struct report_input *input, const struct between *between,
		 struct calltree *tree);
/* Says which functions have no time and no calls. */
void between_note_left_out(struct doc *doc, const struct calltree *tree);
