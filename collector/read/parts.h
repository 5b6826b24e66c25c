/* SPDX-License-Identifier: MIT */
/*
 * The sites and targets of the processes of one file, while its lanes are read: what most
 * of the memory of thousands of processes would be. Runs on: one thread at a time.
 */
#pragma once

#include "collector/read/read.h"

struct read_parts {
	const struct read_run *run;
	uint32_t *order; /* owned; the owners of slots, those of a file together */
	size_t count;
	size_t first, end; /* those in order that have theirs now */
};

void read_parts_begin(struct read_parts *ret, const struct read_run *run);

/* Files in their order: gives the processes of the last one's back, and reads those of
 * this one: numbers in run->processes, order[first] up to order[end]. */
void read_parts_of(struct read_parts *parts, uint32_t file);

void read_parts_done(struct read_parts *parts);
