/* SPDX-License-Identifier: MIT */
/* Sorts events and puts slices into rows. Must not trap on damaged numbers. */
#include "analyzer/document/timeline.h"

#include "common/base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Start and duration are rounded separately, so consecutive spans may seem to overlap by
 * a nanosecond, and a row of them by more. Such spans are moved: cutting would shorten
 * steps. */
#define ROUNDING_NS 4

struct timeline_event *timeline_add(struct timeline *timeline)
{
	return &ARRAY_ADD(timeline->events, timeline->count);
}

static int compare(const void *left, const void *right)
{
	const struct timeline_event *a = left, *b = right;

	return ORDER_BY_3(a, b, kind, track, start_ns) ?: ORDER_BY(b, a, duration_ns);
}

static int64_t end_of(const struct timeline_event *event)
{
	int64_t end;

	if (__builtin_add_overflow(event->start_ns, event->duration_ns, &end))
		return INT64_MAX;
	return end;
}

/* Makes an event of one track begin at `end` at the earliest. False: nothing is left. */
static int cut(struct timeline_event *event, int64_t end)
{
	if (end_of(event) <= end)
		return 0;
	event->duration_ns = end_of(event) - end;
	event->start_ns = end;
	return 1;
}

/* Cuts a call to the end of the innermost call around it. Returns whether it was
 * longer. */
static bool nest(struct timeline_event *event, int64_t *ends, size_t *open)
{
	while (*open && ends[*open - 1] <= event->start_ns)
		--*open;
	if (*open && end_of(event) > ends[*open - 1]) {
		event->duration_ns = ends[*open - 1] - event->start_ns;
		ends[*open] = ends[*open - 1];
		++*open;
		return true;
	}
	ends[(*open)++] = end_of(event);
	return false;
}

/* Nests the calls of all tracks; they are sorted behind everything else. */
static size_t nest_calls(struct timeline *timeline)
{
	auto_free int64_t *ends = xcalloc(timeline->count + 1, sizeof(*ends));
	size_t open = 0, changed = 0;

	for (size_t i = 0; i < timeline->count; i++) {
		struct timeline_event *event = &timeline->events[i];

		if (event->kind != TIMELINE_CALL)
			continue;
		if (i && event[-1].track != event->track)
			open = 0;
		changed += nest(event, ends, &open);
	}
	return changed;
}

size_t timeline_settle(struct timeline *timeline)
{
	size_t kept = 0, changed = 0;

	if (timeline->count)
		qsort(timeline->events, timeline->count, sizeof(*timeline->events),
		      compare);
	for (size_t i = 0; i < timeline->count; i++) {
		struct timeline_event *event = &timeline->events[i],
				      *last = kept ? &timeline->events[kept - 1] : NULL;
		bool is_late = last && event->kind == TIMELINE_SPAN &&
			       last->kind == TIMELINE_SPAN &&
			       last->track == event->track &&
			       event->start_ns < end_of(last);

		if (is_late &&
		    (uint64_t)end_of(last) - (uint64_t)event->start_ns <= ROUNDING_NS) {
			event->start_ns = end_of(last);
			is_late = false;
		}
		changed += is_late;
		if (is_late && !cut(event, end_of(last)))
			continue;
		timeline->events[kept++] = *event;
	}
	timeline->count = kept;
	return changed + nest_calls(timeline);
}

struct lane *lanes_lane(struct lanes *lanes, const char *label)
{
	if (lanes->count && strcmp(lanes->all[lanes->count - 1].label, label) == 0)
		return &lanes->all[lanes->count - 1];
	lanes->all = array_room(lanes->all, lanes->count, sizeof(*lanes->all));
	lanes->all[lanes->count] = (struct lane){.label = label};
	return &lanes->all[lanes->count++];
}

void lanes_add(struct lane *lane, const struct lane_slice *slice)
{
	ARRAY_ADD(lane->slices, lane->count) = *slice;
}

static int compare_slices(const void *left, const void *right)
{
	const struct lane_slice *a = left, *b = right;

	return ORDER_BY(a, b, begin_ns) ?: ORDER_BY(b, a, end_ns);
}

void lanes_settle(struct lane *lane)
{
	auto_free int64_t *ends =
		xcalloc(lane->count + 1, sizeof(*ends)); /* ends of the open slices */
	uint32_t open = 0;

	if (lane->count)
		qsort(lane->slices, lane->count, sizeof(*lane->slices), compare_slices);
	for (size_t i = 0; i < lane->count; i++) {
		struct lane_slice *slice = &lane->slices[i];

		while (open && ends[open - 1] <= slice->begin_ns)
			open--;
		slice->row = open;
		ends[open++] = slice->end_ns;
		if (open > lane->row_count)
			lane->row_count = open;
	}
}

struct heap_moment *heap_course_add(struct heap_course *course)
{
	return &ARRAY_ADD(course->moments, course->count);
}
