/* SPDX-License-Identifier: MIT */
/*
 * All call paths of a run with everything measured on them, by thread, for viewers that
 * choose themselves what to show. The tree comes from calltree_fold_own_calls(). Must not
 * know SQL or formats.
 */
#pragma once

#include "analyzer/tree/calltree.h"

#define PROFILE_NONE CALLTREE_NONE

/* Quantities of a path itself; wall is the sum of the three after it. */
enum profile_metric {
	PROFILE_CALLS,
	PROFILE_WALL,
	PROFILE_CPU,
	PROFILE_READY,
	PROFILE_BLOCKED,
	PROFILE_ALLOCS,
	PROFILE_BYTES,
	PROFILE_LIVE,
	PROFILE_AT_PEAK,
	PROFILE_METRICS
};

struct profile_metric_facts {
	const char *name; /* for people */
	const char *word; /* for programs: without blanks */
	const char *unit; /* "count", "nanoseconds" or "bytes" */
};
extern const struct profile_metric_facts profile_metrics[PROFILE_METRICS];

/* A thread, or several that followed each other. */
struct profile_lane {
	int64_t pid, tid;
	const char *process, *thread; /* names */
};

/* What a path has in a lane; PROFILE_NONE for quantities that are not kept by lane.
 * Sorted by node, then lane; each pair occurs once. */
struct profile_sample {
	uint32_t node, lane;
	int64_t values[PROFILE_METRICS];
	int64_t self_error_ns, total_error_ns; /* in slots only; else 0 */
};

/* What the paths of a process had between two moments; live memory is that of the
 * second. */
struct profile_slot {
	struct profile_sample *samples; /* sorted by node, without lanes */
	size_t sample_count;
	const char *label; /* of the second moment */
	int64_t start_ns, end_ns;
};

struct profile {
	const char *command, *title;
	int64_t started_ms; /* since 1970; 0: not known */
	int64_t wall_ns;
	int64_t pid; /* of the first process */
	/* Each node has a function; nodes stand depth first. */
	struct calltree *tree;
	uint32_t depth; /* of the deepest node, 1 for roots */
	/* For each node the one above it at depth PROFILE_STACK_MOST / 2; the node itself
	 * if it is not deeper. */
	uint32_t *outer;
	struct profile_lane *lanes;
	size_t lane_count;
	struct profile_sample *samples;
	size_t sample_count;
	/* Comparing two sides: the samples are the side after, those of the only slot the
	 * side before. A node's errors are those of its changes; its recording is 1 if
	 * the change of its total is not proven. is_judged: there are enough runs to
	 * prove a change. */
	bool is_comparison, is_judged;
	/* How the snapshots of a process divide its time, in order; filled for pages
	 * only. */
	struct profile_slot *slots;
	size_t slot_count;
	int64_t slot_pid; /* process of the slots */
	int64_t sums[PROFILE_METRICS];
	/* Sentences about what was left out or folded and what is an estimate. */
	const char **remarks;
	size_t remark_count;
	struct arena texts;
};

/* Takes the tree. Nodes without a function get one named "?". */
struct profile *profile_new(struct calltree *tree);
/* Copies a text into the profile's memory, cleaned for display; NULL stays NULL. */
const char *profile_clean(struct profile *profile, const char *text);
/* Copies the sentence. */
void profile_remark(struct profile *profile, const char *sentence);
/* "counted" or "sampled" if the path's time is an estimate; else NULL. */
const char *profile_recording(const struct calltree_node *node);
/* Longest stack in formats without trees, which repeat it for each path. */
#define PROFILE_STACK_MOST 1000
/* Writes the nodes from one to its root into chain, which has room for
 * PROFILE_STACK_MOST; of more the middle ones are left out. Returns how many. Takes no
 * longer for deep nodes, since it is called for every node. */
size_t profile_chain(const struct profile *profile, uint32_t node, uint32_t *chain);
/* Sorts the samples, adds up those of one node and lane, and computes the sums of all. */
void profile_settle(struct profile *profile);
