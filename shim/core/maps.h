/* SPDX-License-Identifier: MIT */
/*
 * What is mapped where, by /proc/self/maps: 60 us for 300 mappings. Runs on: traced
 * threads, any context; slow paths only, the gate entered. Must not call libc, or keep a
 * descriptor.
 */
#pragma once

#include <stdint.h>

struct maps_line {
	uintptr_t low, high;
	uint64_t offset;
	const char *file; /* device and inode */
	uint32_t file_length;
	char *path; /* or "[stack]" and the like; empty: none */
	int is_cut; /* the path is longer */
};

/* Shows the lines, in ascending order, until look() returns something else than 0, which
 * is returned then; 0: all, or -errno: they cannot be read. */
typedef int maps_look(void *data, const struct maps_line *line);
int maps_each(maps_look *look, void *data);
