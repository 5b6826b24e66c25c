/* SPDX-License-Identifier: MIT */
/*
 * Limits of how much more a side may take, as written on the command line, and what
 * comes of holding a change against one. Must not let what was not measured pass.
 */
#pragma once

#include "common/base/strbuf.h"
#include "analyzer/statistics/compare_judge.h"

/* Quantities that can be limited: of the run, or of a function. */
enum gate_metric {
	GATE_WALL,
	GATE_SELF,
	GATE_CPU,
	GATE_TOTAL, /* functions only */
	GATE_CALLS,
	GATE_ALLOC_COUNT,
	GATE_ALLOC_BYTES,
	GATE_PEAK, /* this and below: runs only */
	GATE_LIVE,
	GATE_METRIC_COUNT,
};

struct gate_limit {
	char *text;	 /* as written: "wall=5%" */
	char *function;	 /* NULL: of the run */
	uint32_t number; /* of the function, once somebody looked for it */
	enum gate_metric metric;
	bool is_percent;
	double most; /* percent, or ns, bytes, a count */
};

struct gate {
	struct gate_limit *limits;
	size_t count;
	bool on_regression, on_inconclusive; /* --fail-on */
};

/* Parse and add. 0 or -EINVAL, then error has one sentence. */
int gate_parse_limits(struct gate *gate, const char *text, struct strbuf *error);
int gate_parse_fail_on(struct gate *gate, const char *text, struct strbuf *error);
void gate_free(struct gate *gate);
bool gate_is_set(const struct gate *gate);
const char *gate_metric_name(enum gate_metric metric);

enum gate_result {
	GATE_KEPT,
	GATE_INCONCLUSIVE, /* the interval has the limit in it */
	GATE_BLURRED,	   /* it has it for the error of the times alone: no runs help */
	GATE_NOT_MEASURED, /* or with too few runs ever to exceed a limit */
	GATE_NOT_COMPARABLE,
	GATE_EXCEEDED,
};

/* Exact quantities by their difference; else by the interval: exceeded when all of it is
 * above the limit with the errors of both sides, kept when none of it is with what the
 * errors differ by. What varies and has one run a side, or so few
 * that no difference could count, is not measured. */
enum gate_result gate_check(const struct gate_limit *limit, const struct change *change);
/* Whether some difference of this quantity could be called a regression. */
bool gate_can_judge(const struct change *change);
const char *gate_result_word(enum gate_result result);
