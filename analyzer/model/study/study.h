/* SPDX-License-Identifier: MIT */
/*
 * Single calls of one function, or steps of one name, each with what every path below did
 * in it, and the comparison of the slow ones with the usual ones.
 *
 * Paths are told by their functions from the studied one on: calls from different places
 * are compared with each other. What a call waited for a CPU is left out of all times: it
 * is not what the function did.
 *
 * Use: study_add_call(), study_path() and study_part() for all of them, then
 * study_judge() (judge.h) once.
 */
#pragma once

#include "common/base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STUDY_NONE UINT32_MAX

/* A call is slow that took so many times as long as the middle one, and more than so much
 * longer: what a call of some nanoseconds takes depends on what the caches hold. Usual is
 * one that did not. */
#define STUDY_SLOW_TIMES 2.0
#define STUDY_SLOW_LEAST_NS 1000.0

struct study_numbers {
	double calls;
	double self_ns; /* without ready_ns */
	double ready_ns, blocked_ns;
	double alloc_count, alloc_bytes;
};

struct study_path {
	uint32_t parent; /* number; STUDY_NONE: the function itself */
	uint64_t function;
	int64_t path_id; /* one of them */
	/* of all slow calls together, and the mean of the usual ones */
	struct study_numbers slow, usual;
	bool waits;	      /* a call of libc that waits or moves data */
	uint32_t slow_count;  /* of slow calls that did something there */
	uint32_t usual_count; /* likewise */
};

/* What most of the time was that the others did not take. */
enum study_kind {
	STUDY_SPREAD,	/* nothing: it is spread over too many paths */
	STUDY_BLOCKED,	/* in calls that wait */
	STUDY_ONLY_NOW, /* no usual call goes there */
	STUDY_MORE_CALLS,
	STUDY_ALLOCATES,
	STUDY_OFF_CPU, /* it had no CPU, and was in no call that waits */
	STUDY_COMPUTES,
};

struct study_cause {
	enum study_kind kind;
	uint32_t path; /* the innermost that has most of the difference; of STUDY_ONLY_NOW
			  the outermost that no usual call goes */
	uint32_t most_path;   /* the innermost, always */
	double difference_ns; /* of the call */
	double explained_ns;  /* of that, at and below the path */
	double waited_ns;     /* of that, longer than usual in calls that wait */
	struct study_numbers now, usual; /* at and below the path; calls: of itself */
};

struct study_call {
	int64_t id;
	double duration_ns;  /* without what it waited for a CPU */
	double beside_calls; /* usual calls that are in its parts, too */
	bool is_one_of_slowest;
	bool is_slow, is_usual;	     /* study_judge() says */
	struct study_numbers *parts; /* by path, up to part_count; owned */
	uint32_t part_count;
	struct study_cause cause; /* of slow ones */
};

/* In the place of the studied function's, of steps: what lies below a step need not lie
 * below the same function each time. */
#define STUDY_STEP UINT64_MAX

struct study {
	struct study_path *paths; /* parents before their children; [0] is the function */
	uint32_t path_count;
	struct study_call *calls; /* in the order of their coming */
	size_t call_count;
	size_t slow_count, usual_count;
	double median_ns;
	const char *step; /* the name of the steps, borrowed; NULL: calls of a function */
	struct map map;
};

/* The number of a path: below parent (STUDY_NONE: the studied function's own). */
uint32_t study_path(struct study *study, uint32_t parent, uint64_t function,
		    int64_t path_id);

/* A new call, borrowed until the next one. */
struct study_call *study_add_call(struct study *study, int64_t id);
/* What it has done on a path; room is made. Borrowed until the next path of it. */
struct study_numbers *study_part(struct study_call *call, uint32_t path);

/* to += factor * from */
void study_numbers_add(struct study_numbers *to, const struct study_numbers *from,
		       double factor);

void study_done(struct study *study);
