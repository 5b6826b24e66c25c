/* SPDX-License-Identifier: MIT */
/*
 * Taking a snapshot in mapped memory, for all takers: a thread of the traced program, the
 * collector, prof-analyze. Runs on: any thread and context, with snapshot_lock held
 * except in history_lock() and history_layout(). Must not call libc or make a system
 * call, except by the functions it is given; nor read a number of the mapping twice or
 * use it unchecked: others may change it.
 */
#pragma once

#include <stdint.h>

#include "common/arrays.h"
#include "common/segment_history.h"

typedef void history_pause(int step);

/* A history, as its taker has mapped it. The taker fills in the first five members;
 * history_open() makes the copies that everything else uses. */
struct history {
	struct segment_process *process;
	struct segment_history *header;
	uint64_t size;	       /* of the mapping that begins with header */
	arrays_commit *commit; /* of the history */
	void *commit_data;
	struct segment_array snapshots, path_pasts; /* checked */
	uint32_t taken;				    /* snapshots before this one */
};

/* What a taker remembers about a lane's nodes: two arrays of node_limit elements, zero at
 * first. */
struct history_memory {
	uint64_t *sums;	      /* calls + times last written; these never decrease */
	uint64_t *open_ticks; /* of open frames, while the lane is being copied; else zero
			       */
	uint32_t node_limit;
};

/* A lane, as its taker has mapped it. */
struct history_lane {
	const struct segment_lane *header;
	uint64_t size; /* of the mapping that begins with header */
	uint32_t slot;
	/* its thread's time without a CPU that is not booked yet; see
	 * history_open_ns() */
	uint64_t open_ns;
	struct history_memory *memory; /* kept for the taker's next snapshot */
};

/* Until when a lane's thread has booked its time. Read it before the two clocks. */
struct history_booked {
	uint64_t wall_ns, cpu_ns;
	int32_t tid; /* 0: there is no thread, or it is not known */
};
struct history_booked history_read_booked(const struct segment_lane *header);

/* The open wait of a lane's thread, given CLOCK_MONOTONIC and its CPU clock, read in this
 * order. 0: there is none, or the thread has gone on meanwhile. */
uint64_t history_open_ns(const struct segment_lane *header,
			 const struct history_booked *booked, uint64_t wall_ns,
			 uint64_t cpu_ns);

/* Takes a snapshot_lock for a holder (SEGMENT_LOCK_THREAD, or a thread's number). Waits
 * for at most `pauses` pauses; takes over the lock of a dead holder. 0, or -EBUSY. */
int history_lock(uint32_t *lock, uint32_t holder, int pauses, history_pause *pause);
void history_unlock(uint32_t *lock);

/* Describes the arrays of a new, zeroed history. */
void history_layout(struct segment_history *header, uint64_t slot_size,
		    uint32_t process_slot);

/* Copies and checks the header. 0, or -EINVAL: it is no history, or is damaged. */
int history_open(struct history *history);

/* Begins the next snapshot, which exists from history_end() on. Returns it, or NULL: no
 * room. */
struct segment_snapshot *history_begin(struct history *history, const char *label,
				       enum segment_snapshot_cause cause);

/* Appends the values of one lane's nodes at `now` that have changed. 0, -EINVAL: the lane
 * is damaged and was left out, or another -errno: no room. */
int history_copy_lane(struct history *history, const struct history_lane *lane,
		      uint64_t now);

/* Appends what history_copy_lane() has written into a history of the taker's own. 0, or
 * -errno: no room. */
int history_append(struct history *history, const struct segment_path_past *from,
		   uint32_t count);

/* Ends the snapshot: it exists from here on. */
void history_end(struct history *history, struct segment_snapshot *snapshot,
		 uint64_t now);

/* Raises the counter of refused snapshots. */
void history_refuse(struct segment_process *process);

/* Drops what the taker remembers about a lane: its snapshot was not completed, and the
 * next one overwrites it. */
void history_forget(struct history_memory *memory, uint32_t node_count);
