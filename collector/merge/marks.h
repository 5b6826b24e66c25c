/* SPDX-License-Identifier: MIT */
/*
 * Steps and counters of a run: what its lanes noted, put together for each process and
 * for the run. Must not trust a number of a lane; grow with the length of a loop.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment_series.h"
#include "common/base/intern.h"
#include "common/base/map.h"

#define MARKS_ALL UINT32_MAX /* the process of what the whole run has */

struct marks_value {
	struct segment_mark mark;
	uint32_t process, lane;
	uint32_t waits; /* of a slow step: index of the first in marks.waits, 0: none */
};

struct marks_wait {
	uint32_t path; /* 0: none */
	uint64_t ready_ns, blocked_ns;
};

struct lane_walk;

struct marks_series {
	char name[sizeof(((struct segment_series *)0)->name)];
	enum segment_series_kind kind;
	uint32_t process; /* index, or MARKS_ALL */
	uint64_t count, value_count;
	double sum;
	uint64_t first_ticks, last_ticks;
	int64_t first_live_bytes, last_live_bytes; /* at those marks */
	int64_t growth_bytes; /* of live memory between them; a sum over processes */
	struct marks_value highest[SEGMENT_SERIES_EXTREMES]; /* the most extreme first */
	struct marks_value lowest[SEGMENT_SERIES_EXTREMES];
	uint32_t highest_count, lowest_count;
	struct segment_series_span
		*spans; /* by time; at most SEGMENT_SERIES_SPANS when done */
	size_t span_count;
	struct marks_value *latest; /* by time; at most SEGMENT_SERIES_WINDOW when done */
	size_t latest_count;
	uint64_t histogram[SEGMENT_SERIES_BUCKETS];
	uint64_t ready_ns, blocked_ns; /* of all steps */
	int is_unsplit;		       /* of some of them that is not known */
	struct marks_wait *waits;      /* by path, when done; perhaps not all of it */
	size_t wait_count;
};

struct marks {
	struct marks_series **all; /* each with its memory; owned */
	size_t count;
	struct marks_wait *waits; /* SEGMENT_STEP_WAITS for each slow step; [0] is none */
	size_t wait_count;
	struct intern names;
	struct map map; /* of name, kind and process to an index in all */
};

struct marks *marks_new(void);
void marks_free(struct marks *marks);

/* Adds what a lane has; what is not plausible is counted as damaged. */
void marks_add_lane(struct marks *marks, const struct lane_walk *walk);

/* All lanes have been added: puts everything in order, and adds the series of the run,
 * after those of the processes. */
void marks_finish(struct marks *marks);

/* The value at this fraction of all values in order: the middle of its bucket, no less
 * than the lowest and no more than the highest value. 0 without values. */
double marks_percentile(const struct marks_series *series, double fraction);
