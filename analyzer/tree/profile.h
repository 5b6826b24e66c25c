/* SPDX-License-Identifier: MIT */
/*
 * All call paths of a run with everything measured on them, for programs that choose
 * themselves what they show: a tree of calltree_fold_own_calls(), and what each of its
 * nodes has, by thread. Must not know SQL or formats.
 */
#pragma once

#include "analyzer/tree/calltree.h"

#define PROFILE_NONE CALLTREE_NONE

/* What a path has of its own; wall is the sum of the three below it. */
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

/* What a path has in a lane; of what is not kept by lanes, PROFILE_NONE. Sorted by node,
 * then lane; a pair comes once. */
struct profile_sample {
	uint32_t node, lane;
	int64_t values[PROFILE_METRICS];
	int64_t self_error_ns, total_error_ns; /* of slots; else 0 */
};

/* What the paths of a process had between two moments; what was live, at the second. */
struct profile_slot {
	struct profile_sample *samples; /* sorted by node; of no lane */
	size_t sample_count;
	const char *label; /* of the second moment */
	int64_t start_ns, end_ns;
};

struct profile {
	const char *command, *title;
	int64_t started_ms; /* since 1970; 0: not known */
	int64_t wall_ns;
	int64_t pid; /* of the first process */
	/* Its nodes have functions, and stand depth first. */
	struct calltree *tree;
	uint32_t depth; /* of the deepest node, 1 for roots */
	/* By node: above it, the one of depth PROFILE_STACK_MOST / 2; itself, if it is
	 * not deeper. */
	uint32_t *outer;
	struct profile_lane *lanes;
	size_t lane_count;
	struct profile_sample *samples;
	size_t sample_count;
	/* Two sides: the samples are after, those of the one slot before; the errors of a
	 * node are those of its changes, its recording is 1 when the change of its total
	 * is not proven. is_judged: there are runs enough to prove any. */
	bool is_comparison, is_judged;
	/* Where the snapshots of a process divide its time, one behind the other; asked
	 * for by pages only. */
	struct profile_slot *slots;
	size_t slot_count;
	int64_t slot_pid; /* whose they are */
	int64_t sums[PROFILE_METRICS];
	/* What was left out or folded, and what is an estimate: a sentence each. */
	const char **remarks;
	size_t remark_count;
	struct arena texts;
};

/* Takes the tree; nodes without a function get one, "?". */
struct profile *profile_new(struct calltree *tree);
void profile_free(struct profile *profile);
/* A text as it can be shown, in the profile's memory; NULL stays NULL. */
const char *profile_clean(struct profile *profile, const char *text);
/* Copies the sentence. */
void profile_remark(struct profile *profile, const char *sentence);
/* "counted" or "sampled" of a path whose time is an estimate; NULL: of
 * another. */
const char *profile_recording(const struct calltree_node *node);
/* A stack for formats that have no trees, in which it comes again for each path. */
#define PROFILE_STACK_MOST 1000
/* The nodes from one to its root, into chain, which has room for PROFILE_STACK_MOST: of
 * more than these the ones in the middle are left out. Returns how many. To be asked of
 * every node of a deep tree, so it takes no longer for a deep one. */
size_t profile_chain(const struct profile *profile, uint32_t node, uint32_t *chain);
/* Sorts samples and adds up those of one node and lane; the sums of all. */
void profile_settle(struct profile *profile);
