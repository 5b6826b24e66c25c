/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the invariants of a segment file and of the shadow map: what must hold
 *                whatever threads, signals and forks did.
 * Runs on:       tests; one thread at a time. Reads the file through a mapping of its
 *                own, so that a recorder in the same process is checked like any other.
 * Must not:      write into the file.
 * See also:      common/segment.h; test_check.c, which shows that each check can fail
 *
 * A file is QUIET when nothing was interrupted: every thread has ended or stands outside
 * of the hooks. Then sums must be exact. Otherwise, of processes that exited or were
 * killed while threads ran, only the structure is checked: whole entries, valid indices.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

struct segment_history;

struct check {
	int fd;
	int is_quiet;
	uint32_t slot_count;
	uint64_t slot_size;
	const struct segment_file *file;
	const void **slots; /* each slot mapped on its own */
	unsigned failure_count;
	char text[2048]; /* a line for each of the first failures */
};

/* Opens a segment file. 0, or -errno. */
int check_open(struct check *check, const char *path, int is_quiet);
void check_close(struct check *check);

/* All of the below but the shadow map, for every process and lane of the file. */
void check_file(struct check *check);

/* Trees, functions and open frames of a lane's slot. */
void check_lane(struct check *check, uint32_t slot);

/* Threads and sites of a process's slot, the global peak and its shares. */
void check_process(struct check *check, uint32_t slot);

/* The history of snapshots of the process in a slot, if there is one. Quiet only. */
void check_snapshots(struct check *check, uint32_t slot);

/* The shadow map of the calling process against the sites of its slot: each word names
 * a site, and the blocks of a site are what its books say. Quiet only. */
void check_shadow(struct check *check, uint32_t slot);

/* The process (magic checked) or lane in a slot; NULL, and a failure, when it is none. */
const struct segment_process *check_process_at(struct check *check, uint32_t slot);
const struct segment_lane *check_lane_at(struct check *check, uint32_t slot);

/* The history of snapshots in a slot; NULL, and a failure, when it is none. */
const struct segment_history *check_history_at(struct check *check, uint32_t slot);

/* The sites of the process in a slot; NULL, and a failure, when they do not fit. */
const struct segment_site *check_sites_at(struct check *check, uint32_t slot);

/* Notes a failure, and says it on stderr, unless holds. Returns holds. */
int check_that(struct check *check, int holds, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
