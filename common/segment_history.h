/* SPDX-License-Identifier: MIT */
/*
 * The snapshots of a process, a part of the contract between the shim and the ingest
 * library. Must not change without a new SEGMENT_VERSION.
 *
 * THE HISTORY
 *
 * A process that has snapshots has one more slot, its history
 * (segment_process.history_slot). Whoever takes the first snapshot makes it: a thread of
 * the process, or another process (the collector, prof-analyze) that maps the file.
 *
 * Taking snapshot n: under segment_process.snapshot_lock, write snapshots[n - 1], append
 * what calls and times have reached to path_pasts, and store n in
 * segment_process.snapshot_interval. That store is the snapshot of the allocation sites,
 * too: a site that changes for the first time after it first appends to site_pasts what
 * it held (copy on write), under its own lock. So taking a snapshot costs nothing for
 * each site, nobody is stopped, and each site is exact.
 *
 * Of a site: its values at snapshot n are those of its entry of site_pasts with
 * first <= n <= last; without one, those of the site itself when site.interval < n, else
 * zero.
 *
 * Of a node: its values at snapshot n are those of its latest entry in path_pasts up to
 * snapshots[n - 1].path_first + path_count; without one, zero. Ticks include the time of
 * open frames so far.
 *
 * Of a live block: it knows the number of snapshots before its birth. A free of a block
 * that is older than the last snapshot is added to an entry of free_ages.
 *
 * Arrays that are full, or refused their pages: no further snapshot is taken, and those
 * from incomplete_from on are not whole. Entries of sites whose site is 0 are being
 * written, or never were.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

#define SEGMENT_MAGIC_HISTORY 0x31306b6f6f667270ull /* "prfook01" */

/* A block's birth has 12 bits in the shadow map. */
#define SEGMENT_SNAPSHOT_LIMIT 4095u

enum segment_snapshot_cause {
	SEGMENT_SNAPSHOT_CALL = 1, /* profshim_snapshot() */
	SEGMENT_SNAPSHOT_SIGNAL,
	SEGMENT_SNAPSHOT_FUNCTION, /* entry or exit of a named function */
	SEGMENT_SNAPSHOT_INTERVAL,
	SEGMENT_SNAPSHOT_COMMAND, /* prof-analyze snapshot */
};

struct segment_snapshot {
	char label[96];
	uint64_t ticks;
	uint64_t rss_bytes; /* 0: not known */
	uint32_t cause;	    /* enum segment_snapshot_cause */
	uint32_t path_first, path_count;
	uint32_t reserved;
};

struct segment_site_past {
	uint32_t site;
	uint16_t first, last; /* snapshots at which it held: */
	uint64_t alloc_count, alloc_bytes;
	uint64_t free_count, free_bytes;
};

/* Packed, as filling a page of the file costs more than filling it with more: a snapshot
 * of 111,118 paths that have all changed took 4.0 ms of CPU with 24 bytes each, and takes
 * 3.1 with 16. node 0: calls is the slot of the lane that the entries after it belong to.
 * Of the entry before it tell: node SEGMENT_PAST_UNWOUND: calls is how many were unwound;
 * SEGMENT_PAST_READY and SEGMENT_PAST_BLOCKED: total_ticks is ns, as in its segment_wait;
 * SEGMENT_PAST_OPEN: likewise, without a CPU since the last hook of the thread, which
 * only that one's next hook will tell apart. Without such entries these are 0.
 */
struct segment_path_past {
	uint64_t calls_and_node; /* calls << 24 | node; calls modulo 2^40 */
	uint64_t total_ticks;
};

#define SEGMENT_PAST_NODE_BITS 24u
#define SEGMENT_PAST_NODE_MASK ((1ull << SEGMENT_PAST_NODE_BITS) - 1)
#define SEGMENT_PAST_UNWOUND SEGMENT_PAST_NODE_MASK
#define SEGMENT_PAST_READY (SEGMENT_PAST_NODE_MASK - 1)
#define SEGMENT_PAST_BLOCKED (SEGMENT_PAST_NODE_MASK - 2)
#define SEGMENT_PAST_OPEN (SEGMENT_PAST_NODE_MASK - 3)
#define SEGMENT_PAST_NODES SEGMENT_PAST_OPEN /* nodes have lower numbers */

/* Blocks of a site born after snapshot `born` and before the next (0: before the first)
 * and freed likewise after snapshot `freed`; born < freed. */
struct segment_free_age {
	uint32_t site;
	uint16_t born, freed;
	uint32_t next; /* the writer's: of a hash chain */
	uint32_t reserved;
	uint64_t free_count, free_bytes;
};

struct segment_history {
	uint64_t magic;
	uint32_t process_slot;
	uint32_t incomplete_from; /* 0: all snapshots are whole */
	struct segment_array snapshots, site_pasts, path_pasts, free_ages;
};

_Static_assert(sizeof(struct segment_snapshot) == 128, "segment_snapshot layout");
_Static_assert(sizeof(struct segment_site_past) == 40, "segment_site_past layout");
_Static_assert(sizeof(struct segment_path_past) == 16, "segment_path_past layout");
_Static_assert(sizeof(struct segment_free_age) == 32, "segment_free_age layout");
_Static_assert(sizeof(struct segment_history) == 112, "segment_history layout");
