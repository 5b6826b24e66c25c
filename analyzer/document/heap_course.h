/* SPDX-License-Identifier: MIT */
/*
 * What a process had allocated at moments of its run, by call path and line. Must not
 * know SQL or formats.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Of the nodes of a profile, whose texts these are. */
struct heap_part {
	uint32_t node, line; /* line 0, file NULL: not known */
	const char *file;
	int64_t bytes;
};

struct heap_moment {
	const char *label;
	int64_t id, time_ns, live_bytes;
	struct heap_part *parts; /* NULL: only the sum is told */
	size_t part_count, part_capacity;
};

/* In the order of time. */
struct heap_course {
	int64_t pid;
	struct heap_moment *moments;
	size_t count, capacity;
};

struct heap_moment *heap_course_add(struct heap_course *course);
struct heap_part *heap_moment_add(struct heap_moment *moment);
void heap_course_free(struct heap_course *course);
/* The moment with most; count: there is none. */
size_t heap_course_highest(const struct heap_course *course);
