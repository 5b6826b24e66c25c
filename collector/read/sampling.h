/* SPDX-License-Identifier: MIT */
/*
 * What the collector of a run said of samples (common/segment_control.h). Must not
 * believe a number of the file.
 */
#pragma once

#include <stdint.h>

#include "common/segment_samples.h"
#include "collector/read/rundir.h"

struct read_sampling {
	enum segment_sampling answer;
	int32_t error;
	uint32_t tick_ns;
};

/* Without such a file, or one that is of another run, nothing was said. */
void read_sampling(const struct rundir *rundir, uint64_t token,
		   struct read_sampling *ret);
