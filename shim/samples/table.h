/* SPDX-License-Identifier: MIT */
/*
 * The lane's table of samples (common/segment_samples.h). Runs on: the lane's thread, any
 * context, with BUSY_SAMPLES taken.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"
#include "shim/samples/below.h"

/* The library's own code, which samples do not tell addresses of. The constructor. */
void table_begin(uintptr_t low, uintptr_t high);

/* Is the address in that, or in code that only counts? */
int table_is_own(uint64_t address);

/* Adds so many samples to the current node. */
void table_add(struct lane_context *context, uint64_t address, const struct below *below,
	       uint32_t count, uint64_t weight_ns);
