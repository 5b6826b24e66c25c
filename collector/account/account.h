/* SPDX-License-Identifier: MIT */
/*
 * The books of times: correction for the cost of the hooks, self and total, with their
 * errors. Must not read the spool.
 *
 * A lane is in the cells of the merged tree (merge.h). In this order: self times; what is
 * moved between paths (counted.c); totals, which go to the tree.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/merge/merge.h"
#include "collector/merge/place.h"

/* What recording costs in the lane's process. */
struct account_cost {
	const struct hook_cost *hooks;
	double stack_ns; /* of an allocation in the lane, in addition */
};

/*
 * Turns the ticks of the lane in the cells into self times, less what the hooks cost. A
 * lane is corrected on its own, so that the shares of the lanes add up to the path. Where
 * less time was recorded than the hooks should have cost, self time is 0 and the path
 * above is charged with the rest: it has what the one hook pays less and another one
 * more.
 */
void account_selves(struct merge *merge, const struct account_cost *cost);

/* Adds the lane to the tree, and clears the cells. */
void account_totals(struct merge *merge, uint32_t lane);

/* When all lanes are added: sums up functions and edges, with the errors of all. */
void account_functions(struct merge *merge);

/* Only clears the cells. */
void account_clear(struct merge *merge);

/*
 * Takes the cells apart, children before parents; each is clear afterwards. Begin, then
 * next, which returns the path, until it returns 0; it adds to what the path has in
 * ret_past, by QUANTITY_OF_PAST. In a stretch a path may have less time than its children
 * and the hooks' cost: it is read while it runs. What is missing is owed by the next
 * stretch, so that sums over stretches do not grow by it. owed_ns: one for each path,
 * zero before the first stretch.
 */
void account_begin(struct merge *merge);
uint32_t account_next_part(struct merge *merge, int64_t *owed_ns, int64_t *ret_past);

/* The functions that processes recorded with less than a frame for each call: fills in
 * merge->modes and merge->first_mode. What a process says of them is believed as far as
 * it can be true. */
void modes_list(struct merge *merge);

/* The mode of a process's function by its number there; NULL: there is none. */
struct merge_mode *modes_find(const struct merge *merge, uint32_t process,
			      uint32_t number);

/*
 * Calls that were counted without a frame (common/segment_recording.h): how many there
 * were on which path, and how long they took. The counts of a function never differ from
 * what was counted, nor is more time taken from a path than it has.
 *
 * What such a call took, and what it cost to count it, is in the frame that was innermost
 * (holders.h). Samples tell how much of that is whose (sampled/divide.h); without them it
 * stays there. The cost of counting goes to nobody.
 */
struct counted;

struct counted *counted_new(struct merge *merge);

/* Takes the lane out of the cells, and its counts, until all lanes are known. */
void counted_keep(struct counted *counted, uint32_t lane,
		  const struct lane_counts *counts);

/* Adds all lanes that were kept to the tree. */
void counted_finish(struct counted *counted);

void counted_free(struct counted *counted);

/* Merges the lanes of a run. ends: one for each process. outside: samples of programs
 * without hooks, or NULL. path_limit, share_limit: 0 for
 * the usual ones. Free with merge_done(); run and ticks are borrowed until then. */
void run_merge(struct merge *ret, const struct read_run *run, const struct ticks *ticks,
	       const struct ending *ends, const struct cpu_book *outside,
	       size_t path_limit, size_t share_limit);

/*
 * The snapshots of a run as common/schema.sql has them: rows that are valid for a stretch
 * of snapshots. After the lanes have been merged.
 */

/* first and until: indices in snapshots.all; until is the first one it is
 * not valid for. */
struct snapshot_path {
	uint32_t process, path, first, until;
	QUANTITY_FIELDS(PAST);
};

struct snapshot_site {
	uint32_t process, site, first, until;
	QUANTITY_FIELDS(HELD);
};

struct snapshot_row {
	uint32_t process, number; /* number from 1 */
	int64_t time_ns;
	const struct segment_snapshot *from;
	QUANTITY_FIELDS(SNAPSHOT);
};

/* Rows of what paths had reached, at most: with a deep tree, each snapshot can have one
 * for every path. */
#define SNAPSHOT_PATH_LIMIT (1u << 24)

struct snapshots {
	struct snapshot_row *all; /* by process and number */
	size_t count;
	struct snapshot_path *paths; /* by process, path and first */
	size_t path_count;
	uint32_t cut_first; /* from this index in all on there are none, for want of room
			     */
	uint64_t cut_count; /* snapshots that would have had some */
	struct snapshot_site *sites; /* likewise */
	size_t site_count;
	struct change_free *frees; /* born and freed: 0, or 1 + an index in all */
	size_t free_count;
};

/* Takes merge->changes apart. The rows are in the merge's pool. */
void snapshots_build(struct snapshots *ret, struct merge *merge);

/* Of each path: what it has by itself in the end, together with what calls that were only
 * counted took of it: in a stretch of time these are still its own. Owned by the caller.
 */
int64_t *snapshots_most_self(const struct merge *merge);
