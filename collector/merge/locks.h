/* SPDX-License-Identifier: MIT */
/*
 * The locks of a run, and who waited where for whom. Must not follow an index that was
 * not compared with its count.
 *
 * A wait names paths of two lanes, the waiter's and the holder's. So the holders' are
 * looked up when all lanes are merged, in a second reading of those lanes that are named.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/merge/place.h"
#include "common/libc/records.h"

/* A wait for another thread. Paths 0, holder_lane UINT32_MAX: not known. */
struct merge_stall {
	struct segment_stall from;
	uint32_t lane, holder_lane; /* indices in run->lanes */
	uint32_t lock;		    /* index in locks, UINT32_MAX: none */
	uint32_t waiter_path, holder_path, taken_path;
};

struct stalls {
	struct merge_stall *all;
	size_t count;
	uint32_t thinning; /* the most that a lane had, or more */
	uint64_t lost_count;
};

/* How a lock got its name. */
enum lock_naming {
	LOCK_NAMED_BY_PATH,	/* that used it first */
	LOCK_NAMED_BY_BLOCK,	/* path that allocated its block */
	LOCK_NAMED_BY_VARIABLE, /* that it is, or is in */
	LOCK_NAMED_BY_KIND,	/* there is one in a process */
};

struct merge_lock {
	uint32_t process; /* index in run->processes */
	uint32_t kind;	  /* enum segment_lock_kind */
	uint64_t address;
	char *name; /* owned */
	enum lock_naming naming;
	const char *module; /* file of the variable, or NULL; borrowed */
	uint64_t lock_count, wait_count, wait_ticks, longest_wait_ticks;
	uint64_t hold_count, hold_ticks, longest_hold_ticks;
	uint64_t first_ticks;
	uint32_t first_path;
	uint32_t block_path; /* 0: not known */
	uint64_t block_offset;
	struct histogram waits;
};

/* Lanes are numbers in run->lanes; LOCK_NO_LANE: not known. Paths: 0, not known. */
#define LOCK_NO_LANE UINT32_MAX

struct merge_lock_wait {
	uint32_t lock; /* index in locks */
	uint32_t waiter_lane, holder_lane;
	uint32_t waiter_path, holder_path, taken_path;
	uint64_t count, ticks, longest_ticks;
};

/* A lane, or a path of one, that was not merged yet when it was named. */
struct lock_place {
	uint32_t process, lane_slot, node;
	uint32_t of; /* index of a wait, of a lock or of a stall */
	enum {
		LOCK_PLACE_HOLDER, /* its lane, too */
		LOCK_PLACE_TAKEN,
		LOCK_PLACE_BLOCK,
		LOCK_PLACE_STALL_HOLDER, /* its lane, too */
		LOCK_PLACE_STALL_TAKEN
	} what;
};

struct locks {
	struct merge_lock *all;
	struct merge_lock_wait *waits;
	struct lock_place *places;
	size_t count, wait_count, place_count;
	struct map map;	       /* by process and address */
	uint64_t folded_count; /* calls and waits that are in none of them */
	struct stalls stalls;
};

/* A place that is looked up when all lanes are merged, if it is one. */
void locks_add_place(struct locks *locks, struct lock_place place);

struct locks *locks_new(void);
void locks_free(struct locks *locks);

/* Adds those of a lane whose nodes are placed. */
void locks_add_lane(const struct lane_walk *walk);

/* All lanes are added: paths of holders, and names. */
void locks_finish(struct merge *merge);
