/* SPDX-License-Identifier: MIT */
/*
 * What a return address says of the level of a stack that it is in
 * (common/segment_tree.h, LEVELS): whose code it is, and whether that function is only
 * counted. Runs on: the lane's thread, any context. Must not lock, or read anything of a
 * stack.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"

/* Looking takes 0.3 us where it is not known yet. */
struct lane_place places_of(struct lane_context *context, uint64_t return_address);
