/* SPDX-License-Identifier: MIT */
/* From the ring, or from what the timer has written, to the lane's table. Runs on: the
 * lane's thread, any context, with BUSY_SAMPLES taken. */
#pragma once

#include "shim/lane/lane.h"

/* is_wanted 0: it is nobody's. */
void drain(struct lane_context *context, int is_wanted);
