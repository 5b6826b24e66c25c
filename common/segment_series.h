/* SPDX-License-Identifier: MIT */
/*
 * Steps and counters of one thread at a time: a part of the format between the shim and
 * the ingest library. Must not change without a new SEGMENT_VERSION.
 *
 * A series holds what one lane has recorded under one name: the durations of a step
 * (profshim_step), in ticks, or the values of a counter (profshim_counter). Its size is
 * fixed, however long the loop is: exact totals, a histogram, the extremes, the latest
 * values, and the course of the whole run in at most 64 spans.
 *
 * A step lasts from one mark of its name to the thread's next. So a thread's first mark
 * has no duration, and count - value_count threads have used the name.
 */
#pragma once

#include <stdint.h>

#define SEGMENT_SERIES_LIMIT 256u /* names in one lane */
#define SEGMENT_SERIES_EXTREMES 5u
#define SEGMENT_SERIES_WINDOW 512u
#define SEGMENT_SERIES_SPANS 64u
#define SEGMENT_SERIES_WAITS 8u
#define SEGMENT_STEP_WAITS 4u

/* 8 buckets for each power of two from 2^-16 to 2^48, for either sign, and one for zero;
 * values beyond go to the outermost buckets. A bucket's middle is at most 6.25 % from any
 * value in it. */
#define SEGMENT_SERIES_SIDE 512u
#define SEGMENT_SERIES_BUCKETS (2 * SEGMENT_SERIES_SIDE + 1)
#define SEGMENT_SERIES_LOWEST_EXPONENT (-16)

enum segment_series_kind {
	SEGMENT_SERIES_STEP = 1,
	SEGMENT_SERIES_COUNTER = 2,
};

struct segment_mark {
	double value;
	uint64_t ticks;	    /* when the step ended, or the counter was set */
	uint64_t index;	    /* among the values of this series, from 0 */
	int64_t live_bytes; /* of the process, at that time */
	/* for a step: its thread's, as in struct segment_wait */
	uint64_t ready_ns, blocked_ns;
};

/* The thread's waits on one path, in one step or in many. */
struct segment_step_wait {
	uint32_t node; /* of the lane, 0: none */
	uint32_t pad;
	uint64_t ready_ns, blocked_ns;
};

/* 2^span_shift consecutive values; the last span may have fewer. */
struct segment_series_span {
	uint64_t first_ticks, last_ticks; /* of its first and last value */
	uint64_t count;
	double sum;
	int64_t live_bytes;	       /* of the process, at its last value */
	uint64_t ready_ns, blocked_ns; /* of its steps, as in struct segment_mark */
};

struct segment_series {
	char name[112]; /* cut when longer; ends with NUL */
	uint32_t kind;	/* enum segment_series_kind */
	uint32_t span_shift;
	uint64_t count;	      /* marks */
	uint64_t value_count; /* durations, or values */
	double sum;
	uint64_t first_ticks, last_ticks; /* marks */
	int64_t first_live_bytes, last_live_bytes;
	uint64_t open_ticks; /* the thread's latest mark, 0: none */
	double fifth_highest, fifth_lowest;
	uint32_t highest_count, lowest_count;
	uint64_t ready_ns, blocked_ns;		 /* of all steps */
	uint64_t open_ready_ns, open_blocked_ns; /* of the thread, at its latest mark */
	uint64_t open_mark; /* which of the thread's marks of steps that was */
	struct segment_mark highest[SEGMENT_SERIES_EXTREMES]; /* in no order */
	struct segment_mark lowest[SEGMENT_SERIES_EXTREMES];
	struct segment_series_span spans[SEGMENT_SERIES_SPANS];
	struct segment_mark window[SEGMENT_SERIES_WINDOW]; /* [index % WINDOW] */
	uint64_t histogram[SEGMENT_SERIES_BUCKETS];
	/* Where the thread waited: in all steps, on the first paths that it waited on; in
	 * each step of `highest`, on the paths of the longest waits. May not be all. */
	struct segment_step_wait waits[SEGMENT_SERIES_WAITS];
	struct segment_step_wait highest_waits[SEGMENT_SERIES_EXTREMES]
					      [SEGMENT_STEP_WAITS];
	uint64_t reserved_end[8];
};

static inline uint32_t segment_series_bucket(double value)
{
	/* no memcpy(): hooks must not call libc */
	union {
		double value;
		uint64_t bits;
	} both = {.value = value};
	uint64_t bits = both.bits;
	int64_t place;

	if ((bits << 1) == 0)
		return SEGMENT_SERIES_SIDE;
	/* the exponent and the three bits behind it */
	place = (int64_t)(bits << 1 >> 50) - 8 * (1023 + SEGMENT_SERIES_LOWEST_EXPONENT);
	if (place < 0)
		place = 0;
	if (place >= (int64_t)SEGMENT_SERIES_SIDE)
		place = SEGMENT_SERIES_SIDE - 1;
	return bits >> 63 ? SEGMENT_SERIES_SIDE - 1 - (uint32_t)place
			  : SEGMENT_SERIES_SIDE + 1 + (uint32_t)place;
}

_Static_assert(sizeof(struct segment_mark) == 48, "segment_mark layout");
_Static_assert(sizeof(struct segment_step_wait) == 24, "segment_step_wait layout");
_Static_assert(sizeof(struct segment_series_span) == 56, "segment_series_span layout");
_Static_assert(sizeof(struct segment_series) % 64 == 0, "segment_series layout");
