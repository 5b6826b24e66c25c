/* SPDX-License-Identifier: MIT */
/* Lists of moments. */
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

void heap_course_free(struct heap_course *course)
{
	if (!course)
		return;
	free(course->moments);
	free(course);
}
