/* SPDX-License-Identifier: MIT */
/* Lists of moments and of their parts. */
#include "analyzer/document/heap_course.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

struct heap_moment *heap_course_add(struct heap_course *course)
{
	course->moments = xgrow(course->moments, course->count, &course->capacity,
				sizeof(*course->moments));
	course->moments[course->count] = (struct heap_moment){0};
	return &course->moments[course->count++];
}

struct heap_part *heap_moment_add(struct heap_moment *moment)
{
	moment->parts = xgrow(moment->parts, moment->part_count, &moment->part_capacity,
			      sizeof(*moment->parts));
	moment->parts[moment->part_count] = (struct heap_part){0};
	return &moment->parts[moment->part_count++];
}

void heap_course_free(struct heap_course *course)
{
	if (!course)
		return;
	for (size_t i = 0; i < course->count; i++)
		free(course->moments[i].parts);
	free(course->moments);
	free(course);
}

size_t heap_course_highest(const struct heap_course *course)
{
	size_t best = course->count;

	for (size_t i = 0; i < course->count; i++)
		if (best == course->count ||
		    course->moments[i].live_bytes > course->moments[best].live_bytes)
			best = i;
	return best;
}
