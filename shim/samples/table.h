/* SPDX-License-Identifier: MIT */
/*
 * The lane's table of samples (common/segment_samples.h). Runs on: the lane's thread, any
 * context, with BUSY_SAMPLES taken.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"

/* The library's own code, which samples do not tell addresses of. The constructor. */
void table_begin(uintptr_t low, uintptr_t high);

/* Adds so many samples to the current node. */
void table_add(struct lane_context *context, uint64_t address, uint32_t count,
	       uint64_t weight_ns);
