/* SPDX-License-Identifier: MIT */
/*
 * The names of the regions of a program image, a part of the contract between the shim
 * and the ingest library. Must not change without a new SEGMENT_VERSION.
 *
 * A region (profshim_region_begin) is a node of the call tree like a function. Its key is
 * SEGMENT_KEY_REGION and the index of its name here: one table for the segment file, made
 * in a slot of its own with the first region, so that forked children, which inherit open
 * regions, know them by the same numbers.
 *
 * Names are only added, under `lock`, and published by their count. A table that is full,
 * or that cannot grow, gives SEGMENT_NAME_MORE to all further ones.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

#define SEGMENT_MAGIC_NAMES 0x31306d616e667270ull /* "prfnam01" */

#define SEGMENT_NAME_LIMIT 1024u
#define SEGMENT_NAME_MORE 1u /* index 0 is never used */

/* Cut when longer; both end with NUL. */
struct segment_name {
	uint64_t hash;
	char component[64];
	char name[120];
};

struct segment_names {
	uint64_t magic;
	uint32_t lock;	  /* held by the thread that adds one, not for long */
	uint32_t is_full; /* no more are taken */
	struct segment_array names;
	uint64_t reserved[3];
	struct segment_name entries[]; /* of names */
};

_Static_assert(sizeof(struct segment_name) == 192, "segment_name layout");
_Static_assert(sizeof(struct segment_names) == 64, "segment_names layout");
