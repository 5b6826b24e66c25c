/* SPDX-License-Identifier: MIT */
/*
 * A process's snapshots, read and checked. Must not trust a count or an index in the
 * file.
 */
#pragma once

#include <stdint.h>

#include "common/segment_history.h"
#include "collector/read/segment_file.h"

/* What a node had reached at a snapshot. */
struct read_path_past {
	uint32_t lane_slot, node;
	uint32_t snapshot;   /* from 1 */
	uint64_t call_count; /* modulo 2^40, like: */
	uint64_t unwound_count;
	uint64_t total_ticks;
	uint64_t ready_ns, blocked_ns; /* booked, see struct segment_wait */
	uint64_t open_ns;	       /* a wait that went on */
};

struct read_history {
	struct segment_snapshot *snapshots; /* labels end with NUL; [0] is snapshot 1 */
	uint32_t snapshot_count;
	struct segment_site_past *site_pasts; /* by site and first */
	uint32_t site_past_count;
	struct read_path_past *path_pasts; /* by lane_slot, node and snapshot */
	uint32_t path_past_count;
	struct segment_free_age *free_ages;
	uint32_t free_age_count;
	uint32_t incomplete_count; /* snapshots left out for lack of room */
};

/* Reads the history in a slot. taken: the number of snapshots that its process reports.
 * 0, or -EINVAL: damaged, and nothing was read. Free with read_history_done(). */
int read_history(const struct segment_reader *reader, uint32_t slot,
		 uint32_t process_slot, uint32_t taken, struct read_history *ret);
void read_history_done(struct read_history *history);
