/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what everybody who takes a snapshot does alike, on mapped memory: a
 *                thread of the traced program, the collector, prof-analyze.
 * Runs on:       any thread and context; snapshot_lock is held but for book_lock() and
 *                book_layout().
 * Must not:      call libc or make a system call, but for what it is given.
 * See also:      common/segment_book.h
 */
#pragma once

#include <stdint.h>

#include "common/segment_book.h"

/* Reserves the pages of [offset, offset + size) of the book. 0, or -errno. */
typedef int book_commit(void *data, uint64_t offset, uint64_t size);
typedef void book_pause(void);

/* A book as its taker has it mapped. */
struct book {
	struct segment_process *process;
	struct segment_book *header;
	book_commit *commit;
	void *commit_data;
};

/* What a taker remembers of a lane's nodes: two arrays with an element for each node that
 * the lane can have, zero at first. */
struct book_memory {
	uint64_t *sums;	      /* calls + ticks written down last: neither ever falls */
	uint64_t *open_ticks; /* of open frames, while the lane is copied; else zero */
};

/* Takes the process's snapshot_lock, waiting for the pauses given. 0, or -EBUSY. */
int book_lock(struct segment_process *process, int pauses, book_pause *pause);
void book_unlock(struct segment_process *process);

/* Describes the arrays of a new, zeroed book. */
void book_layout(struct segment_book *header, uint64_t slot_size, uint32_t process_slot);

/* Begins the next snapshot. Returns it, or NULL: no room (then the process's counter of
 * refused snapshots has been raised). */
struct segment_snapshot *book_begin(struct book *book, const char *label,
				    enum segment_snapshot_cause cause);

/* Appends what one lane's nodes have reached at `now`, if it has changed. memory: kept by
 * the taker for its next snapshot. 0, or -errno: no room. */
int book_copy_lane(struct book *book, const struct segment_lane *lane, uint32_t lane_slot,
		   uint64_t now, const struct book_memory *memory);

/* Ends it: it exists from here on. */
void book_end(struct book *book, struct segment_snapshot *snapshot, uint64_t now);

/* It could not be completed: as if it had not begun. */
void book_cancel(struct book *book, const struct segment_snapshot *snapshot);
