/* SPDX-License-Identifier: MIT */
/*
 * What there is to know of a file that a process has mapped, once for all processes. Runs
 * on: the collector's main thread. Must not believe the file.
 */
#pragma once

#include <stdint.h>

#include "collector/processes/cpu_book.h"

/* A mapping, as /proc/PID/maps has it. */
struct outside_mapping {
	uint64_t start, end, offset;
	uint64_t device, inode;
	const char *path;
};

struct outside_objects {
	int64_t begin_s; /* since the epoch, when the first process was there */
	struct outside_object *all; /* owned */
	size_t count;
	struct map map; /* by device and inode */
};

/* Where a mapping's code is. */
struct outside_place {
	uint32_t module;  /* in the book; CPU_BOOK_NO_MODULE: not known */
	uint64_t address; /* in the file, of the first byte of the mapping */
	int has_hooks;	  /* the file calls the recorder's hooks */
};

/* Looks at the file, if it is the one that is mapped, and adds it to the book. What was
 * there before the run began and has not changed since is it; so is what has the numbers
 * that the kernel tells, which not all file systems tell alike. */
struct outside_place object_place(struct outside_objects *objects, struct cpu_book *book,
				  const struct outside_mapping *mapping);
