/* SPDX-License-Identifier: MIT */
/*
 * What of a run has a place in time: steps, waits for other threads, snapshots, counters,
 * what the system said of processes. Of calls those have that took long. Must not know
 * SQL or formats.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum timeline_kind {
	TIMELINE_TRACK, /* lasts as long as what it is of: a thread, or steps of a name */
	TIMELINE_SPAN,
	TIMELINE_MOMENT,
	TIMELINE_VALUE,
	TIMELINE_CALL, /* one that took long; on the track of its thread */
};

/* Texts can be shown as they are, and are borrowed. Times are ns since the run began. */
struct timeline_event {
	enum timeline_kind kind;
	int64_t pid;
	int64_t track; /* of tracks and spans; a number of its own in the run */
	const char *name;
	const char *detail; /* of a span: who waited, which step; NULL: not known */
	int64_t start_ns, duration_ns;
	double value;
};

/* In any order of times; the tracks come first, those of a process together. */
struct timeline {
	struct timeline_event *events;
	size_t count;
};

struct timeline_event *timeline_add(struct timeline *timeline);
void timeline_free(struct timeline *timeline);
/* Sorts by track and time; a span that reaches into the one before it begins where that
 * ends, and is left out when nothing is left of it: viewers draw one above the other only
 * if it is inside of it. What reaches in by a rounding is moved instead. So are calls
 * cut, and one that lasts longer than that around it ends with it. Returns how many were
 * cut or left out. */
size_t timeline_settle(struct timeline *timeline);

/* What happened side by side over a stretch of time: lanes, such as threads, each with
 * slices in rows, those of a row one after the other. A format draws as much of it as it
 * has room for. */

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
	size_t count;
	uint32_t row_count;
};

struct lanes {
	int64_t from_ns, to_ns; /* what is shown; slices may reach beyond */
	struct lane *all;
	size_t count;
};

/* The lane of this label, a new one unless it is the last. Borrowed until the next. */
struct lane *lanes_lane(struct lanes *lanes, const char *label);
/* Adds a slice; rows are not known yet. */
void lanes_add(struct lane *lane, const struct lane_slice *slice);
/* Orders a lane's slices, those around others first, and finds their rows. */
void lanes_settle(struct lane *lane);
void lanes_free(struct lanes *lanes);

/* What a process had allocated at moments of its run. */

struct heap_moment {
	const char *label; /* borrowed */
	int64_t time_ns, live_bytes;
};

/* In the order of time. */
struct heap_course {
	struct heap_moment *moments;
	size_t count;
};

struct heap_moment *heap_course_add(struct heap_course *course);
void heap_course_free(struct heap_course *course);
