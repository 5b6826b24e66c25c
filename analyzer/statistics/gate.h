/* SPDX-License-Identifier: MIT */
/*
 * Limits on how much more a side may take, as given on the command line, and the results
 * of checking them. Must not pass what was not measured.
 */
#pragma once

#include "analyzer/statistics/compare_judge.h"
#include "common/base/text.h"

/* Limited quantities: of the run, or of a function. */
enum gate_metric {
	GATE_WALL,
	GATE_SELF,
	GATE_CPU,
	GATE_TOTAL, /* functions only */
	GATE_CALLS,
	GATE_ALLOC_COUNT,
	GATE_ALLOC_BYTES,
	GATE_PEAK, /* from here on: runs only */
	GATE_LIVE,
	GATE_METRIC_COUNT,
};

struct gate_limit {
	const char *text;     /* as written: "wall=5%" */
	const char *function; /* NULL: of the run */
	uint32_t number;      /* the function's, once it was looked up */
	enum gate_metric metric;
	bool is_percent;
	double most;	 /* percent, or an amount in ns, bytes or a count */
	const char *law; /* of a limit of growth; NULL: it is of a change */
};

struct gate {
	struct gate_limit *limits;
	size_t count;
	bool on_regression, on_inconclusive; /* --fail-on */
};

/* Parse and add, or end the command with a sentence. */
void gate_parse_limits(struct gate *gate, const char *text);
/* Limits of growth, "calls ~ n^1.5, func:parse.cpu ~ n". Without func: a quantity of
 * every function, or wall, peak and live of the run. */
void gate_parse_growth(struct gate *gate, const char *text);
void gate_parse_fail_on(struct gate *gate, const char *text);
bool gate_is_set(const struct gate *gate);
const char *gate_metric_name(enum gate_metric metric);

enum gate_result {
	GATE_KEPT,
	GATE_INCONCLUSIVE, /* the interval contains the limit */
	GATE_BLURRED,	   /* the same, because of errors alone: more runs do not help */
	GATE_NOT_MEASURED, /* or too few runs to ever exceed a limit */
	GATE_NOT_COMPARABLE,
	GATE_EXCEEDED,
};

/* Exact quantities are judged by their difference, others by the interval. Exceeded: all
 * of it is above the limit with the errors of both sides. Kept: none of it is, with the
 * difference of the errors. Noisy quantities with one run a side, or too few to show any
 * difference, are not measured. */
enum gate_result gate_check(const struct gate_limit *limit, const struct change *change);
/* Whether any difference of this quantity could be called a regression. */
bool gate_can_judge(const struct change *change);
const char *gate_result_word(enum gate_result result);
