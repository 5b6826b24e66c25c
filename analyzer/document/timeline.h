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
	size_t count, capacity;
};

struct timeline_event *timeline_add(struct timeline *timeline);
void timeline_free(struct timeline *timeline);
/* Sorts by track and time; a span that reaches into the one before it begins where that
 * ends, and is left out when nothing is left of it: viewers draw one above the other only
 * if it is inside of it. What reaches in by a rounding is moved instead. So are calls
 * cut, and one that lasts longer than that around it ends with it. Returns how many were
 * cut or left out. */
size_t timeline_settle(struct timeline *timeline);
