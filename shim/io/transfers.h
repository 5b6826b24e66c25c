/* SPDX-License-Identifier: MIT */
/*
 * The books of calls that moved data, or had to do with a file: by call path and target.
 * Runs on: the lane's thread, any context. Does not change errno.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"

struct transfer {
	uint32_t target;
	uint32_t is_source; /* it is what the call copied */
	int is_sequential;
	int64_t bytes; /* negative: it failed */
	uint64_t ticks;
};

/* A call of this node. Node 0: it has none. memo: where calls like it were booked before,
 * perhaps, and by any thread; is told where this one was. */
hidden void transfers_book(struct lane_context *context, uint32_t node,
			   const struct transfer *transfer, uint32_t *memo);
