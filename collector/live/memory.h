/* SPDX-License-Identifier: MIT */
/*
 * What a taker from outside remembers of a process's lanes for its next snapshot of it.
 * Runs on: one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/history.h"

struct live_snapshot_lane {
	uint32_t slot;
	struct history_memory memory; /* both in one mapping */
	size_t bytes;
};

struct live_snapshot_memory {
	struct live_snapshot_lane *lanes;
	size_t count;
	size_t next; /* where the lane that follows the last one is likely to be */
};

/* What is remembered of a lane; NULL: no memory. Valid until the next call. */
const struct history_memory *live_snapshot_remember(struct live_snapshot_memory *memory,
						    uint32_t slot, uint32_t node_limit);
void live_snapshot_forget(struct live_snapshot_memory *memory);
