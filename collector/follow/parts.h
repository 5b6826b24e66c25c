/* SPDX-License-Identifier: MIT */
/* The parts of a look, for follow.c. Must not be used by others. */
#pragma once

#include "collector/follow/state.h"
#include "collector/follow/room.h"
#include "collector/merge/place.h"
#include "collector/read/segment_file.h"

#define NO_LANE UINT32_MAX
#define NO_PROCESS UINT32_MAX

struct follow_file {
	char *name;
	struct segment_reader reader;
	uint32_t slots_done;  /* slots before it have been looked at, and are settled */
	uint32_t *lane_of;    /* by slot: index in lanes */
	uint32_t *process_of; /* by slot: index in processes */
	struct segment_name *names; /* of regions; SEGMENT_NAME_LIMIT of them, or NULL */
	uint32_t name_count;
};

struct follow_process {
	uint32_t file, slot, number;   /* its own, in processes */
	struct segment_process header; /* of the last look; strings end with NUL */
	struct read_process facts;     /* of which: modules, targets and names */
	struct module_list modules;
	uint32_t module_room;
	int is_alive;
	/* what the last look saw of its sites */
	struct site_past {
		uint64_t numbers[FOLLOW_SITE_NUMBERS];
	} * sites;
	uint32_t site_room, sites_known;
	uint32_t *targets; /* number in transfers_of of each of its targets */
	uint32_t target_count, target_room;
	uint32_t *functions; /* of each of its modes, MERGE_NO_FUNCTION: of a copy */
	uint8_t *variants;   /* of each of its modes: enum demangle_variant */
	uint32_t mode_count;
};

/* What the last look saw; none of it ever falls. */
struct node_past {
	uint64_t calls, ticks;
};

struct wait_past {
	uint64_t ready_ns, blocked_ns, sleeps;
	uint32_t node; /* whose it is; 0: not known yet */
};

struct transfer_past {
	uint64_t calls, bytes, ticks;
};

struct follow_lane {
	uint32_t file, slot, process;
	struct segment_lane header;
	struct lane_walk walk; /* nodes: their places */
	struct node_past *past;
	uint32_t placed, room;
	struct wait_past *waits;
	uint32_t wait_room;
	struct wait_past open; /* of a path without an entry in waits */
	struct transfer_past *transfers;
	uint32_t transfer_room;
	uint64_t transfer_key; /* of the node of the one that is looked at */
	struct {
		uint64_t marks, values;
		double sum;
	} * series;
	uint32_t series_room;
	uint64_t *counts; /* by mode */
	uint32_t count_room;
	uint32_t thread; /* index in thread_rows, NO_LANE: none */
	int is_left_out;
};

/* What never falls: how much more it is than it was, and no more than is plausible. */
static inline int64_t follow_more(uint64_t *past, uint64_t now)
{
	uint64_t more = now > *past ? now - *past : 0;

	if (now > *past)
		*past = now;
	return more < (uint64_t)TICKS_LONGEST_NS ? (int64_t)more : TICKS_LONGEST_NS;
}

/* The rows of paths that the merge has made. */
void follow_take_paths(struct follow *follow);
/* files.c: new files and slots of the spool. -EIO: there is none that can be read. */
int follow_list(struct follow *follow, uint64_t now_ns);
/* processes.c */
void follow_look_at_process(struct follow *follow, uint32_t process);
void follow_look_at_modes(struct follow *follow, struct follow_process *process);
void follow_refresh_modules(struct follow *follow, struct follow_process *process);
void follow_look_at_sites(struct follow *follow, uint32_t process);
void follow_process_done(struct follow_process *process);
/* lane.c */
void follow_look_at_lane(struct follow *follow, struct follow_lane *lane,
			 uint64_t now_ticks);
void follow_lane_done(struct follow_lane *lane);
/* lane_parts.c */
void follow_look_at_counts(struct follow *follow, struct follow_lane *lane);
void follow_look_at_transfers(struct follow *follow, struct follow_lane *lane);
void follow_look_at_series(struct follow *follow, struct follow_lane *lane);
/* thread.c: who has the lane. */
struct thread_look {
	uint64_t open_ns; /* of the wait that is open; 0: none is known */
	int64_t ready_ns; /* what it was ready since the last look */
};
struct thread_look follow_look_at_thread(struct follow *follow, struct follow_lane *lane);

/* The path of a node of the lane, MERGE's root 0 when it has none of its own. */
static inline uint32_t follow_path_of(const struct follow_lane *lane, uint32_t node)
{
	return node > LANE_ROOT && node < lane->placed && lane->walk.nodes[node].is_placed
		       ? lane->walk.nodes[node].path
		       : 0;
}
