/* SPDX-License-Identifier: MIT */
/*
 * What a run was begun with (struct segment_run), and what its processes say of it now.
 * Must not believe the latter.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/read/rundir.h"
#include "common/segment.h"
#include "common/segment_samples.h"

/* How many nodes a lane, and sites a process of the run may have. The quarter more is for
 * processes that share a lane one after the other. */
static inline uint32_t read_node_limit(const struct segment_run *page)
{
	uint64_t limit = page->path_limit > SEGMENT_PATH_LIMIT ? page->path_limit
							       : SEGMENT_PATH_LIMIT;

	return limit < UINT32_MAX / 2 ? (uint32_t)(limit + limit / 4) : UINT32_MAX / 2;
}

/* The run's facts alone. 0, or -errno with a sentence in error. */
int read_run_page(const struct rundir *rundir, struct segment_run *ret, char *error,
		  size_t error_size);

/* What the run's processes say of it now, as far as it is plausible. 0 or -errno; all
 * zero then. */
int read_run_state(const struct rundir *rundir, const struct segment_run *page,
		   struct segment_state *ret);

struct read_sampling {
	enum segment_sampling answer;
	int32_t error;
	uint32_t tick_ns;
};

/* Without such a file, or one that is of another run, nothing was said. */
void read_sampling(const struct rundir *rundir, uint64_t token,
		   struct read_sampling *ret);
