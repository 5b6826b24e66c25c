/* SPDX-License-Identifier: MIT */
/*
 * What has a place in time: steps, waits for other threads, snapshots, counters, system
 * events of processes, and long calls. Must not know SQL or formats.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum timeline_kind {
	TIMELINE_TRACK, /* lasts as long as its thread, or its steps of one name */
	TIMELINE_SPAN,
	TIMELINE_MOMENT,
	TIMELINE_VALUE,
	TIMELINE_CALL, /* a long call, on the track of its thread */
};

/* Texts are clean and borrowed. Times are ns since the run began. */
struct timeline_event {
	enum timeline_kind kind;
	int64_t pid;
	int64_t track; /* of tracks and spans; a number unique in the run */
	const char *name;
	const char *detail; /* of a span: who waited, which step; NULL: not known */
	int64_t start_ns, duration_ns;
	double value;
};

/* Events in any order of time; tracks come first, those of a process together. */
struct timeline {
	struct timeline_event *events;
	size_t count;
};

struct timeline_event *timeline_add(struct timeline *timeline);
/* Sorts by track and time. Viewers draw a span above another only if it is inside it, so
 * a span that overlaps the one before is cut at its start, or left out if nothing
 * remains; overlaps by rounding are moved. Calls are cut to the call around them. Returns
 * how many were cut or left out. */
size_t timeline_settle(struct timeline *timeline);

/* Things that happened side by side: lanes, such as threads, each with slices in rows;
 * slices of a row follow each other. Formats draw as much as they have room for. */

/* What a slice did for most of its time. */
enum lane_state {
	LANE_COMPUTING,
	LANE_READY, /* waiting for a CPU */
	LANE_BLOCKED,
	LANE_UNKNOWN,
	LANE_MOMENT, /* has no duration */
};

struct lane_slice {
	const char *name; /* clean, borrowed */
	int64_t begin_ns, end_ns;
	enum lane_state state;
	uint32_t row; /* from 0; slices around this one have smaller rows */
};

struct lane {
	const char *label; /* likewise */
	struct lane_slice *slices;
	size_t count;
	uint32_t row_count;
};

struct lanes {
	int64_t from_ns, to_ns; /* the visible range; slices may reach beyond */
	struct lane *all;
	size_t count;
};

/* The lane of this label if it is the last one, else a new lane. Borrowed until the next
 * call. */
struct lane *lanes_lane(struct lanes *lanes, const char *label);
/* Adds a slice; lanes_settle() finds the rows. */
void lanes_add(struct lane *lane, const struct lane_slice *slice);
/* Sorts a lane's slices, outer ones first, and finds their rows. */
void lanes_settle(struct lane *lane);

/* What a process had allocated at moments of the run. */

struct heap_moment {
	const char *label; /* borrowed */
	int64_t time_ns, live_bytes;
};

/* Sorted by time. */
struct heap_course {
	struct heap_moment *moments;
	size_t count;
};

struct heap_moment *heap_course_add(struct heap_course *course);
