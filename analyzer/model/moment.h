/* SPDX-License-Identifier: MIT */
/*
 * How a user names a moment of a process, and finding the one meant.
 *
 *     LABEL      the snapshot of this label, when the process has one only
 *     LABEL#N    its Nth, counted from 1
 *     N, #N      the snapshot's number in its process
 *     start, 0   before the first allocation
 *     exit       the end of the process
 *     peak       when the run's live memory was highest
 *
 * Labels come before the words start, exit (now) and peak: a user who took a snapshot
 * "exit" means that one. Numbers come before labels; LABEL#1 reaches a label made of
 * digits.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A snapshot, as listed. Texts are borrowed. */
struct snapshot {
	int64_t snapshot_id, number, time_ns, live_bytes;
	const char *label;
};

enum moment_kind {
	MOMENT_NONE, /* none has this name */
	MOMENT_MANY, /* several: count and first are set */
	MOMENT_START,
	MOMENT_SNAPSHOT,
	MOMENT_PEAK,
	MOMENT_EXIT,
};

struct moment {
	enum moment_kind kind;
	const struct snapshot
		*snapshot; /* of MOMENT_SNAPSHOT; the first of MOMENT_MANY */
	size_t count;	   /* of MOMENT_MANY */
};

/* Looks among the snapshots of one process, which must be in order. */
struct moment moment_find(const char *word, const struct snapshot *snapshots,
			  size_t count);

/* The moment's snapshot_id in its process: 0 for the start, INT64_MAX for the exit. Not
 * for MOMENT_PEAK. */
int64_t moment_id(const struct moment *moment);
