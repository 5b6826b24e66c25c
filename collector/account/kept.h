/* SPDX-License-Identifier: MIT */
/*
 * Lanes taken out of the cells of the tree, and put back one at a time. Must not know
 * what is done with them in between.
 */
#pragma once

#include "collector/merge/place.h"
#include "collector/merge/merge.h"

/* A cell as the lane filled it. */
struct kept_cell {
	uint32_t path;
	/* see struct merge_cell */
	uint64_t total_ticks, passed_ticks;
	int64_t nested_calls, passed_calls;
	QUANTITY_FIELDS(LANE);
};

/* A function's calls in a lane that have no frame, and entries that are no calls
 * (counted.c). */
struct kept_count {
	uint32_t mode; /* index in merge->modes */
	/* in edges.c: of the same function; 1 + index in the lane */
	uint32_t next;
	uint64_t calls, nested_calls;
	int is_placed;
};

/* Of them, those on one path. */
struct kept_calls {
	uint32_t mode, path;
	int is_nested;
	uint32_t next; /* in edges.c: of the same function; 1 + index */
	uint64_t calls;
};

/* [first, end) of a growing array. */
struct kept_range {
	size_t first, end;
};

struct kept_lane {
	uint32_t lane, process;
	double stack_ns; /* see lane_counts */
	struct kept_range cells, counts, variants, calls, held;
};

/* All zero but for the pool is empty. */
struct kept {
	struct pool *pool;
	struct kept_lane *lanes;
	struct kept_cell *cells;
	struct kept_count *counts;
	struct variant_count *variants;
	struct kept_calls *calls;
	size_t lane_count, cell_count, count_count, variant_count, call_count;
};

/* Takes the lane in the cells out, with its counts. */
void kept_add(struct kept *kept, struct merge *merge, uint32_t lane,
	      const struct lane_counts *counts);

/* Puts the lanes in the order of their processes. */
void kept_order(struct kept *kept);

/* Puts a lane's cells back, with the calls that have been found for them, those of
 * lane->calls. account_clear() takes them out again. */
void kept_restore(const struct kept *kept, const struct kept_lane *lane,
		  struct merge *merge);
