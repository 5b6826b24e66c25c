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

/* By snapshot `snapshot` (from 1) of a process this had come in addition to what there
 * was at the one before; from several lanes there may be several. */
struct change_of_path {
	uint32_t process, snapshot, path, owner;
	uint64_t calls, nested_calls, ticks, unwound;
	uint64_t ready_ns, blocked_ns;
};

/* What a node's waits came to in the end: as they were booked, and how much of what was
 * booked as blocked was ready (collector/merge/waits.c). */
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

/* The merged path of a node, the one that has its time (place.h), and whether its entries
 * are no calls of it (sites.c). */
struct change_place {
	uint32_t path, owner;
	int is_nested;
};

/* Adds what a node did that has this place in the merged tree. A wait that was open at a
 * snapshot was ready and blocked as what was booked of it later. */
void changes_add_node(struct changes *changes, const struct read_run *run,
		      uint32_t process, uint32_t lane_slot, uint32_t node,
		      const struct change_place *place, const struct change_end *end);

/* Adds what a site of the process did, its index there, that is `merged` now. */
void changes_add_site(struct changes *changes, const struct read_run *run,
		      uint32_t process, uint32_t site, uint32_t merged);

/* Adds the frees by age. merged: by index in the process's sites, UINT32_MAX: nowhere. */
void changes_add_frees(struct changes *changes, const struct read_run *run,
		       uint32_t process, const uint32_t *merged);

void changes_done(struct changes *changes);
