/* SPDX-License-Identifier: MIT */
/* From the ring, or from what the timer has written, to the lane's table of samples
 * (common/segment_samples.h). Runs on: the lane's thread, any context, with BUSY_SAMPLES
 * taken. */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"

/* The library's own code, which samples do not tell addresses of. The constructor. */
void table_begin(uintptr_t low, uintptr_t high);

/* is_wanted 0: it is nobody's. */
void drain(struct lane_context *context, int is_wanted);
