/* SPDX-License-Identifier: MIT */
/*
 * The names of a program image's regions: a part of the format between the shim and the
 * ingest library. Must not change without a new SEGMENT_VERSION.
 *
 * A region (profshim_region_begin) is a node of the call tree like a function. Its key is
 * SEGMENT_KEY_REGION and the index of its name here. A segment file has one table, in a
 * slot of its own that is made with the first region. So forked children, which inherit
 * open regions, use the same numbers.
 *
 * Names are only added, under `lock`, and published by the count. When the table is full
 * or cannot grow, all further names get SEGMENT_NAME_MORE.
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
	uint32_t lock;	  /* held briefly by the thread that adds a name */
	uint32_t is_full; /* no more names are added */
	struct segment_array names;
	uint64_t reserved[3];
	struct segment_name entries[]; /* of names */
};

_Static_assert(sizeof(struct segment_name) == 192, "segment_name layout");
_Static_assert(sizeof(struct segment_names) == 64, "segment_names layout");
