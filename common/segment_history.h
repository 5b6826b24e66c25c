/* SPDX-License-Identifier: MIT */
/*
 * The snapshots of a process: a part of the format between the shim and the ingest
 * library. Must not change without a new SEGMENT_VERSION.
 *
 * THE HISTORY
 *
 * A process with snapshots has one more slot, its history (segment_process.history_slot).
 * Whoever takes the first snapshot makes the slot: a thread of the process, or another
 * process (the collector, prof-analyze) that maps the file.
 *
 * To take snapshot n, the taker, under segment_process.snapshot_lock, writes snapshots[n
 * - 1], appends the calls and times so far to path_pasts, and stores n in
 * segment_process.snapshot_interval. That store is also the snapshot of all allocation
 * sites: before a site changes for the first time after it, the site's old values are
 * appended to site_pasts, under the site's lock (copy on write). So a snapshot costs
 * nothing per site, nobody is stopped, and each site is exact.
 *
 * Of a site: its values at snapshot n are those of its entry in site_pasts with first <=
 * n <= last. Without one, they are the site's own if site.interval < n, else zero.
 *
 * Of a node: its values at snapshot n are those of its last entry in path_pasts before
 * snapshots[n - 1].path_first + path_count; without one, zero. Ticks include the time so
 * far of open frames.
 *
 * Of a live block: its shadow word has the number of snapshots before its birth. The free
 * of a block that is older than the latest snapshot is added to an entry of free_ages.
 *
 * When an array is full or gets no pages, no further snapshot is taken, and snapshots
 * from incomplete_from on are incomplete. Entries with site 0 are unfinished.
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
	uint16_t first, last; /* the snapshots that it holds for */
	uint64_t alloc_count, alloc_bytes;
	uint64_t free_count, free_bytes;
};

/* The calls and ticks of a node. Packed, since new pages of the file are what costs: a
 * snapshot of 111,118 changed paths took 4.0 ms of CPU with 24 bytes each and takes 3.1
 * ms with 16. node 0: calls is the slot of the lane that the following entries belong to.
 * Special nodes add to the entry before them, and stand for 0 when absent:
 * SEGMENT_PAST_UNWOUND: calls is how many were unwound; SEGMENT_PAST_READY and
 * SEGMENT_PAST_BLOCKED: total_ticks is ns, as in its segment_wait; SEGMENT_PAST_OPEN: ns
 * without a CPU since the thread's last hook; only its next hook can tell whether ready
 * or blocked.
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

/* Blocks of a site born between snapshot `born` (0: the beginning) and the next one, and
 * freed between snapshot `freed` and the next one; born < freed. */
struct segment_free_age {
	uint32_t site;
	uint16_t born, freed;
	uint32_t next; /* hash chain, for the writer */
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
