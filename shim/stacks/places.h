/* SPDX-License-Identifier: MIT */
/*
 * What a return address tells about its level (common/segment_tree.h, LEVELS): whose code
 * it is, and whether that function is only counted. Runs on: the lane's thread, any
 * context. Must not lock, nor read a stack.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"

/* Takes 0.3 us for an address that is not known yet. */
struct lane_place places_of(struct lane_context *context, uint64_t return_address);
