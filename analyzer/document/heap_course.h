/* SPDX-License-Identifier: MIT */
/* What a process had allocated at moments of its run. Must not know SQL or formats. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct heap_moment {
	const char *label; /* borrowed */
	int64_t time_ns, live_bytes;
};

/* In the order of time. */
struct heap_course {
	struct heap_moment *moments;
	size_t count, capacity;
};

struct heap_moment *heap_course_add(struct heap_course *course);
void heap_course_free(struct heap_course *course);
