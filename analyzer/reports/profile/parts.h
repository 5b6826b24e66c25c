/* SPDX-License-Identifier: MIT */
/* Shared by the files that export a whole run. */
#pragma once

#include "analyzer/tree/profile.h"
#include "analyzer/tree/calltree.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/report.h"

/* Makes doc->profile of the run, or of --thread. STATUS_NOTHING: nothing was measured. */
enum exit_status profile_build(struct report_input *input, struct doc *doc);
/* The same for an opened document; pages also get the time between snapshots. */
void profile_add(struct report_input *input, struct doc *doc);

struct profiling;
/* slots.c: fills the slots of doc->profile, and doc->heap; overwrites the tree's
 * numbers. */
void profile_add_slots(struct profiling *profiling, struct doc *doc);

struct profiling {
	struct report_input *input;
	struct calltree *tree;
	struct profile *profile;
	uint32_t *places; /* by node of the tree */
	bool *passes;	  /* --focus and --ignore; NULL: all do */
	int64_t *lane_ids;
	int64_t lane_count; /* of the run, chosen or not */
	int64_t left_out[PROFILE_METRICS];
	size_t left_out_count;
};
/* timeline.c: makes doc->timeline, beside doc->profile. */
void profile_add_timeline(struct report_input *input, struct doc *doc);
/* samples.c: fills the samples. */
void profile_add_samples(struct profiling *profiling);
/* The quantities of a node itself. */
void profile_take_node(const struct calltree_node *node, int64_t ret[PROFILE_METRICS]);
