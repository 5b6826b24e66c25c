/* SPDX-License-Identifier: MIT */
/*
 * What has a place in time, as markers: tracks of slow calls, of waits, of steps of a
 * name, and one of all snapshots. Counters are in no track.
 */
#pragma once

#include "analyzer/document/profile.h"
#include "analyzer/document/timeline.h"

#include <stdio.h>

/* The events of one track: those of one kind, behind each other, and those of another.
 * Texts and events are the timeline's. */
struct marker_track {
	const char *name;   /* NULL: not known */
	const char *thread; /* its number; NULL: of none */
	int64_t pid;
	const struct timeline_event *parts[2];
	size_t counts[2];
};

/* What of the file's "markerSchema" they need: an array. */
extern const char marker_schema[];

/* The tracks that have anything, in the order of their numbers. Owned by caller. */
struct marker_track *marker_tracks(const struct timeline *timeline, size_t *ret_count);
/* Writes "stringArray":[...],"markers":{...}, the last fields of a thread. */
void marker_put(FILE *out, const struct marker_track *track);
