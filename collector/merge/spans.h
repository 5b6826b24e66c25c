/* SPDX-License-Identifier: MIT */
/*
 * The calls and steps that took long, one by one (common/slow/spans.h), and with them the
 * calls that were open when their process ended. Must not follow an index that was not
 * compared with its count.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/segment_series.h"
#include "common/segment_tree.h"

struct lane_walk;

struct merge_span {
	uint64_t begin_ticks, end_ticks, ticks;
	uint64_t ready_ns, blocked_ns;
	uint32_t lane;		  /* index in run->lanes */
	uint32_t process, thread; /* indices in run->processes, and its threads */
	uint32_t path;
	uint32_t kind;
	uint32_t name; /* of a step: in names */
	int is_split;  /* its waits are known */
};

#define SPANS_NO_THREAD UINT32_MAX

struct spans {
	struct merge_span *all; /* of a lane: by beginning, the longer first */
	struct intern names;
	size_t count;
	uint64_t thinned_count, lost_count, joined_count;
	uint64_t complete_ticks; /* as long as that: all are there, in each lane */
	uint64_t damaged_count;
};

struct spans *spans_new(void);
void spans_free(struct spans *spans);

/* Adds those of a lane whose nodes are placed and whose frames are still there. */
void spans_add_lane(struct spans *spans, const struct lane_walk *walk);
