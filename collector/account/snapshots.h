/* SPDX-License-Identifier: MIT */
/*
 * The snapshots of a run as common/schema.sql has them: rows that are valid for a
 * stretch of snapshots. Runs on: one thread at a time; ingest, after the lanes have been
 * merged. Must not know about SQL.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/merge/merge.h"

/* first and until: indices in snapshots.all; until is the first one it is
 * not valid for. */
struct snapshot_path {
	uint32_t process, path, first, until;
	QUANTITY_FIELDS(PAST);
};

struct snapshot_site {
	uint32_t process, site, first, until;
	QUANTITY_FIELDS(HELD);
};

struct snapshot_row {
	uint32_t process, number; /* number from 1 */
	int64_t time_ns;
	const struct segment_snapshot *from;
	QUANTITY_FIELDS(SNAPSHOT);
};

/* Rows of what paths had reached, at most: with a deep tree, each snapshot can have one
 * for every path. */
#define SNAPSHOT_PATH_LIMIT (1u << 24)

struct snapshots {
	struct snapshot_row *all; /* by process and number */
	size_t count;
	struct snapshot_path *paths; /* by process, path and first */
	size_t path_count;
	uint32_t cut_first; /* from this index in all on there are none, for want of room
			     */
	uint64_t cut_count; /* snapshots that would have had some */
	struct snapshot_site *sites; /* likewise */
	size_t site_count;
	struct change_free *frees; /* born and freed: 0, or 1 + an index in all */
	size_t free_count;
};

/* Takes merge->changes apart. Free with snapshots_done(). */
void snapshots_build(struct snapshots *ret, struct merge *merge);

/* Of each path: what it has by itself in the end, together with what calls that were only
 * counted took of it: in a stretch of time these are still its own. Owned by the caller.
 */
int64_t *snapshots_most_self(const struct merge *merge);
void snapshots_done(struct snapshots *snapshots);
