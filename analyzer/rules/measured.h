/* SPDX-License-Identifier: MIT */
/*
 * Which measurements are valid for a run: the one place that decides it. A rule names
 * those that it needs, and is not asked where one is missing. Must not be gone round: a
 * rule that reads a number of which the recording does not know whether it is one, raises
 * false alarms.
 */
#pragma once

#include <stdbool.h>

struct rule_input;
struct strbuf;

enum measurement {
	MEASURED_CALLS = 1u << 0,	/* of instrumented functions */
	MEASURED_ALLOCATIONS = 1u << 1, /* and frees, peak, live bytes */
	MEASURED_STEPS = 1u << 2,
	MEASURED_WALL = 1u << 3, /* how long the run took, and so shares of it */
	/* What was computed, what was waited for a CPU, page faults and RSS of at least
	 * half the time that the processes lived. Without it a duration on a busy machine
	 * may be a wait for a CPU, and a long call a wait for anything. */
	MEASURED_CPU = 1u << 4,
	MEASURED_END = 1u << 5, /* each process ended by itself */
	/* What no other rule asks for: it looks for that itself. */
	MEASURED_OWN = 1u << 6,
};

#define MEASURED_COUNT 7

struct measured {
	bool is_known;
	const char *missing[MEASURED_COUNT]; /* why it is not valid; NULL: it is */
};

/* Looks at the run, once. 0 or -errno (then input->error is set). */
int measured_find(struct rule_input *input);
/* The reason why the first of these is not valid; NULL: all are. */
const char *measured_missing(const struct rule_input *input, unsigned needs);
/* Appends "calls, wall time". */
void measured_put_words(struct strbuf *text, unsigned needs);
