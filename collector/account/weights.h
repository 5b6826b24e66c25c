/* SPDX-License-Identifier: MIT */
/*
 * On which paths a function's calls with frames are: in a lane, a process and the run.
 * Its calls without frames are thought to be on the same paths. Must not give more paths
 * than WEIGHTS_MOST for those of a process or the run: the most frequent ones.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/pool.h"

struct weight {
	uint32_t function, process, lane, path;
	uint64_t calls;
	uint64_t passed_calls; /* that it was a level of, see struct merge_cell */
};

struct weight_list {
	struct weight *all;
	size_t count;
};

/* What is known of: a lane, in its process, in the run. */
enum weights_scope { WEIGHTS_LANE, WEIGHTS_PROCESS, WEIGHTS_RUN, WEIGHTS_SCOPES };

/* All zero but for the pool is empty. */
struct weights {
	struct pool *pool;
	struct weight_list lists[WEIGHTS_SCOPES];
};

#define WEIGHTS_MOST 256u

/* Adds calls, or such as it passed on, of one path of a lane. */
void weights_add(struct weights *weights, const struct weight *weight);
/* After the last. */
void weights_finish(struct weights *weights);
/* The paths of the function in the lane, in its process, or in the run. Borrowed;
 * *ret_count 0: nowhere. */
const struct weight *weights_find(const struct weights *weights, enum weights_scope scope,
				  const struct weight *key, size_t *ret_count);

/* Divides total by shares, which are not all 0, into whole numbers that add up to it:
 * those that lose most by rounding down get one more, the first of equals before others.
 */
void weights_apportion(uint64_t total, const uint64_t *shares, size_t count,
		       uint64_t *ret);
