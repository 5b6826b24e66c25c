/* SPDX-License-Identifier: MIT */
/*
 * What there is to know of a file that a process has mapped, once for all processes,
 * and which file is mapped where in a process and the children that it has forked.
 * Runs on: the collector's main thread. Must not believe the file, nor look at /proc
 * without end: code that a program makes as it runs is in no file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/processes/cpu_book.h"

struct outside_objects {
	int64_t begin_s; /* since the epoch, when the first process was there */
	struct outside_object *all; /* owned */
	size_t count;
	struct map map; /* by device and inode */
};

struct outside_space {
	struct outside_range *ranges; /* owned, by start */
	size_t count;
	int has_hooks;	   /* something that is mapped calls them */
	uint64_t pause_ns; /* until an unknown address is worth another look */
	uint64_t next_ns;
};

/* Looks at what a process has mapped now. */
void space_look(struct outside_space *space, struct outside_objects *objects,
		struct cpu_book *book, int32_t pid);

/* Where an address of a process is, after another look at it when that is due. */
uint32_t space_find(struct outside_space *space, struct outside_objects *objects,
		    struct cpu_book *book, int32_t pid, uint64_t address,
		    uint64_t *ret_address);

void space_done(struct outside_space *space);
