/* SPDX-License-Identifier: MIT */
/*
 * What a run was begun with (struct segment_run), and what its processes report now. Must
 * not trust the latter.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/read/rundir.h"
#include "common/segment.h"
#include "common/segment_samples.h"

/* The most nodes of a lane, and sites of a process. A quarter is added for processes that
 * share a lane one after the other. */
static inline uint32_t read_node_limit(const struct segment_run *page)
{
	uint64_t limit = page->path_limit > SEGMENT_PATH_LIMIT ? page->path_limit
							       : SEGMENT_PATH_LIMIT;

	return limit < UINT32_MAX / 2 ? (uint32_t)(limit + limit / 4) : UINT32_MAX / 2;
}

/* Reads only the run's facts. 0, or -errno with a sentence in error. */
int read_run_page(const struct rundir *rundir, struct segment_run *ret, char *error,
		  size_t error_size);

/* Reads what the run's processes report now, as far as it is plausible. 0, or -errno and
 * *ret is all zero. */
int read_run_state(const struct rundir *rundir, const struct segment_run *page,
		   struct segment_state *ret);

struct read_sampling {
	enum segment_sampling answer;
	int32_t error;
	uint32_t tick_ns;
};

/* Reads nothing when there is no such file or it is of another run. */
void read_sampling(const struct rundir *rundir, uint64_t token,
		   struct read_sampling *ret);
