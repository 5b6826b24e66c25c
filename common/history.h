/* SPDX-License-Identifier: MIT */
/*
 * What everybody who takes a snapshot does alike, on mapped memory: a thread of the
 * traced program, the collector, prof-analyze. Runs on: any thread and context;
 * snapshot_lock is held but for history_lock() and history_layout(). Must not call libc
 * or make a system call, but for what it is given; use a number of the mapping twice, or
 * unchecked: others write it meanwhile.
 */
#pragma once

#include <stdint.h>

#include "common/arrays.h"
#include "common/segment_history.h"

typedef void history_pause(int step);

/* A history as its taker has it mapped. The taker fills in the first five; history_open()
 * makes the copies that everything else works with. */
struct history {
	struct segment_process *process;
	struct segment_history *header;
	uint64_t size;	       /* of the mapping that begins with header */
	arrays_commit *commit; /* of the history */
	void *commit_data;
	struct segment_array snapshots, path_pasts; /* checked */
	uint32_t taken; /* snapshots before the one that is being taken */
};

/* What a taker remembers of a lane's nodes: two arrays with node_limit elements, zero at
 * first. */
struct history_memory {
	uint64_t *sums;	      /* calls + times written down last: none ever falls */
	uint64_t *open_ticks; /* of open frames, while the lane is copied; else zero */
	uint32_t node_limit;
};

/* A lane as its taker has it mapped. */
struct history_lane {
	const struct segment_lane *header;
	uint64_t size; /* of the mapping that begins with header */
	uint32_t slot;
	/* of its thread: without a CPU, and booked by nobody; see history_open_ns() */
	uint64_t open_ns;
	struct history_memory *memory; /* kept for the taker's next snapshot */
};

/* Where a lane's thread had its time booked up to: read before the two clocks. */
struct history_booked {
	uint64_t wall_ns, cpu_ns;
	int32_t tid; /* 0: there is no thread, or nothing is known of it */
};
struct history_booked history_read_booked(const struct segment_lane *header);

/* The open wait of a lane's thread, by CLOCK_MONOTONIC and then its CPU clock; 0: none,
 * or it has gone on meanwhile. */
uint64_t history_open_ns(const struct segment_lane *header,
			 const struct history_booked *booked, uint64_t wall_ns,
			 uint64_t cpu_ns);

/* Takes a snapshot_lock for a holder (SEGMENT_LOCK_THREAD, or a thread's number), waiting
 * for the pauses given; one whose holder has died is taken over. 0, or -EBUSY. */
int history_lock(uint32_t *lock, uint32_t holder, int pauses, history_pause *pause);
void history_unlock(uint32_t *lock);

/* Describes the arrays of a new, zeroed history. */
void history_layout(struct segment_history *header, uint64_t slot_size,
		    uint32_t process_slot);

/* Copies and checks what the header says. 0, or -EINVAL: it is no history, or damaged. */
int history_open(struct history *history);

/* Begins the next snapshot, which exists from history_end() on. Returns it, or NULL: no
 * room. */
struct segment_snapshot *history_begin(struct history *history, const char *label,
				       enum segment_snapshot_cause cause);

/* Appends what one lane's nodes have reached at `now`, if it has changed. 0, -EINVAL: the
 * lane is damaged and was left out, or another -errno: no room. */
int history_copy_lane(struct history *history, const struct history_lane *lane,
		      uint64_t now);

/* Appends what history_copy_lane() has written into a history of the taker's own. 0, or
 * -errno: no room. */
int history_append(struct history *history, const struct segment_path_past *from,
		   uint32_t count);

/* Ends it: it exists from here on. */
void history_end(struct history *history, struct segment_snapshot *snapshot,
		 uint64_t now);

/* Raises the counter of refused snapshots. */
void history_refuse(struct segment_process *process);

/* What the taker remembers of a lane is void: its snapshot was not completed, and the
 * next one writes over it. */
void history_forget(struct history_memory *memory, uint32_t node_count);
