/* SPDX-License-Identifier: MIT */
/*
 * Single calls of one function, or steps of one name, with what each path below did in
 * them; slow ones are compared with usual ones.
 *
 * Paths are identified by their functions from the studied one on, so calls from
 * different places are comparable. Waits for a CPU are left out of all times: the
 * function does not cause them.
 *
 * Use: study_add_call(), study_path() and study_part() for all of them, then
 * study_judge() once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"

#define STUDY_NONE UINT32_MAX

/* A call is slow if it takes this many times the median and this much longer: calls of
 * some nanoseconds depend on what is in the caches. All others are usual. */
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
	int64_t path_id; /* a path_id of this path */
	/* sums over all slow calls; means of the usual ones */
	struct study_numbers slow, usual;
	bool waits;	      /* a call of libc that waits or moves data */
	uint32_t slow_count;  /* slow calls that did something there */
	uint32_t usual_count; /* the same for usual ones */
};

/* The cause of most of the extra time. */
enum study_kind {
	STUDY_SPREAD,	/* none: spread over too many paths */
	STUDY_BLOCKED,	/* in calls that wait */
	STUDY_ONLY_NOW, /* on a path that no usual call takes */
	STUDY_MORE_CALLS,
	STUDY_ALLOCATES,
	STUDY_OFF_CPU, /* had no CPU, and was in no call that waits */
	STUDY_COMPUTES,
};

struct study_cause {
	enum study_kind kind;
	uint32_t path; /* the innermost that has most of the difference; of STUDY_ONLY_NOW
			  the outermost that no usual call goes */
	uint32_t most_path;   /* the innermost, in any case */
	double difference_ns; /* of the call */
	double explained_ns;  /* the part of it at and below the path */
	double waited_ns;     /* the part of it in calls that wait */
	struct study_numbers now,
		usual; /* at and below the path; calls: of the path itself */
};

struct study_call {
	int64_t id;
	double duration_ns;  /* without what it waited for a CPU */
	double beside_calls; /* usual calls that its parts include */
	bool is_one_of_slowest;
	bool is_slow, is_usual;	     /* set by study_judge() */
	struct study_numbers *parts; /* by path, up to part_count; owned */
	uint32_t part_count;
	struct study_cause cause; /* of slow calls */
};

/* Stands for the function in a study of steps: what is below a step need not be below the
 * same function each time. */
#define STUDY_STEP UINT64_MAX

struct study {
	struct study_path *paths; /* parents before their children; [0] is the function */
	uint32_t path_count;
	struct study_call *calls; /* in order of arrival */
	size_t call_count;
	size_t slow_count, usual_count;
	double median_ns;
	const char *step; /* the name of the steps, borrowed; NULL: calls of a function */
	struct map map;
};

/* The number of the path of this function below parent (STUDY_NONE: the studied function
 * itself). */
uint32_t study_path(struct study *study, uint32_t parent, uint64_t function,
		    int64_t path_id);

/* A new call, borrowed until the next one. */
struct study_call *study_add_call(struct study *study, int64_t id);
/* What the call did on a path, created if needed. Borrowed until the call's next path. */
struct study_numbers *study_part(struct study_call *call, uint32_t path);

/* to += factor * from */
void study_numbers_add(struct study_numbers *to, const struct study_numbers *from,
		       double factor);

/* Judges a study once all calls are in it. */

/* Marks slow and usual calls, and sets the cause of each slow one. median_ns: over
 * all calls of the function, used when few calls were kept by chance; 0: use the
 * kept calls. */
void study_judge(struct study *study, double median_ns);
