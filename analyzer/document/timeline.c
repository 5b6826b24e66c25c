/* SPDX-License-Identifier: MIT */
/* The order of events. Must not trap on damaged numbers. */
#include "analyzer/document/timeline.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

struct timeline_event *timeline_add(struct timeline *timeline)
{
	timeline->events = xgrow(timeline->events, timeline->count, &timeline->capacity,
				 sizeof(*timeline->events));
	timeline->events[timeline->count] = (struct timeline_event){0};
	return &timeline->events[timeline->count++];
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	free(timeline->events);
	free(timeline);
}

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare(const void *left, const void *right)
{
	const struct timeline_event *a = left, *b = right;
	int result = order(a->kind, b->kind);

	if (!result)
		result = order(a->track, b->track);
	if (!result)
		result = order(a->start_ns, b->start_ns);
	return result ? result : order(b->duration_ns, a->duration_ns);
}

static int64_t end_of(const struct timeline_event *event)
{
	int64_t end;

	if (__builtin_add_overflow(event->start_ns, event->duration_ns, &end))
		return INT64_MAX;
	return end;
}

/* Of one track: makes it begin at end at the earliest. Is anything left? */
static int cut(struct timeline_event *event, int64_t end)
{
	if (end_of(event) <= end)
		return 0;
	event->duration_ns = end_of(event) - end;
	event->start_ns = end;
	return 1;
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
		int is_late = last && event->kind == TIMELINE_SPAN &&
			      last->kind == TIMELINE_SPAN &&
			      last->track == event->track &&
			      event->start_ns < end_of(last);

		changed += (size_t)is_late;
		if (is_late && !cut(event, end_of(last)))
			continue;
		timeline->events[kept++] = *event;
	}
	timeline->count = kept;
	return changed;
}
