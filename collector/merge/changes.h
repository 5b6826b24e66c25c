/* SPDX-License-Identifier: MIT */
/*
 * What happened between the snapshots of each process, by merged path and site:
 * differences, collected while the lanes are merged. Must not know about SQL.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/read/read.h"
#include "common/quantities.h"

/* What a path did between the snapshot before and `snapshot` (from 1) of a process.
 * Several lanes may each have one for the same path. */
struct change_of_path {
	uint32_t process, snapshot, path, owner;
	uint64_t calls, nested_calls, ticks, unwound;
	uint64_t ready_ns, blocked_ns;
};

/* A node's waits at the end as they were booked, and the share of the blocked time that
 * was in truth ready (collector/merge/waits.c). */
struct change_end {
	uint64_t ready_ns, blocked_ns;
	double late_share;
};

struct change_of_site {
	uint32_t process, snapshot, site;
	QUANTITY_FIELDS(HELD);
};

/* See struct segment_free_age. */
struct change_free {
	uint32_t process, site;
	uint32_t born, freed;
	uint64_t count, bytes;
};

struct changes {
	struct change_of_path *paths;
	size_t path_count;
	struct change_of_site *sites;
	size_t site_count;
	struct change_free *frees;
	size_t free_count;
};

/* The merged path of a node, the path that gets its time (place.h), and whether its
 * entries do not count as calls of that path (sites.c). */
struct change_place {
	uint32_t path, owner;
	int is_nested;
};

/* Adds the changes of a node that has this place in the merged tree. A wait that was open
 * at a snapshot is split into ready and blocked like what was booked of it later. */
void changes_add_node(struct changes *changes, const struct read_run *run,
		      uint32_t process, uint32_t lane_slot, uint32_t node,
		      const struct change_place *place, const struct change_end *end);

/* Adds the changes of the process's site `site`, which is `merged` in the merged tree. */
void changes_add_site(struct changes *changes, const struct read_run *run,
		      uint32_t process, uint32_t site, uint32_t merged);

/* Adds the frees by age. merged: for each site of the process its merged index, or
 * UINT32_MAX for a site that has none. */
void changes_add_frees(struct changes *changes, const struct read_run *run,
		       uint32_t process, const uint32_t *merged);

void changes_done(struct changes *changes);
