/* SPDX-License-Identifier: MIT */
/*
 * What happened side by side over a stretch of time: lanes, such as threads, each with
 * slices in rows, those of a row one after the other. A format draws as much of it as it
 * has room for. Must not know SQL or formats.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What most of a slice's time was. */
enum lane_state {
	LANE_COMPUTING,
	LANE_READY, /* waiting for a CPU */
	LANE_BLOCKED,
	LANE_UNKNOWN,
	LANE_MOMENT, /* it has no time */
};

struct lane_slice {
	const char *name; /* can be shown; borrowed */
	int64_t begin_ns, end_ns;
	enum lane_state state;
	uint32_t row; /* from 0: what lies around it has a lesser one */
};

struct lane {
	const char *label; /* likewise */
	struct lane_slice *slices;
	size_t count, capacity;
	uint32_t row_count;
};

struct lanes {
	int64_t from_ns, to_ns; /* what is shown; slices may reach beyond */
	struct lane *all;
	size_t count, capacity;
};

/* The lane of this label, a new one unless it is the last. Borrowed until the next. */
struct lane *lanes_lane(struct lanes *lanes, const char *label);
/* Adds a slice; rows are not known yet. */
void lanes_add(struct lane *lane, const struct lane_slice *slice);
/* Orders a lane's slices, those around others first, and finds their rows. */
void lanes_settle(struct lane *lane);
void lanes_free(struct lanes *lanes);
