/* SPDX-License-Identifier: MIT */
/*
 * Who called the code that a sample is in, as far as the frame that is innermost in the
 * lane: by unwind tables (shim/code/rules.h), on the stack that came with the sample.
 * Runs on: the lane's thread, any context, with BUSY_SAMPLES taken. Must not read the
 * stack in use: it has changed since.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"
#include "shim/samples/ring.h"

#define BELOW_MOST 48u

/* Return addresses, innermost first. */
struct below {
	uint64_t addresses[BELOW_MOST];
	uint32_t count;
	int is_whole; /* the last is in the function of the frame, or it is without any */
};

void below_find(const struct lane_context *context, const struct ring_data *data,
		const struct ring_record *record, struct below *ret);
