/* SPDX-License-Identifier: MIT */
/*
 * The PROFSHIM_* environment as plain data. Runs on: the constructor, before the
 * program's own code. Must not print; what could not be parsed is left in `ignored`.
 */
#pragma once

#include "common/segment.h"

struct config {
	int off;	/* PROFSHIM_LEVEL=off */
	int joins_only; /* the run was given to us by an exec wrapper: begin none */
	int follow;	/* PROFSHIM_FOLLOW: children belong to the run */
	enum segment_report report; /* PROFSHIM_REPORT */
	const char *level;	    /* PROFSHIM_LEVEL in force */
	double overhead_percent;    /* the budget, PROFSHIM_OVERHEAD; 0: none */
	int keeps_code;		    /* PROFSHIM_PATCH=off: none is written */
	int leaves_waits;	    /* PROFSHIM_WAITS=off: time is not split */
	unsigned int sample_hz;	    /* PROFSHIM_SAMPLES, see common/segment_samples.h */
	unsigned int stack_depth_limit;
	unsigned int check_stacks;
	unsigned int path_limit;
	unsigned int snapshot_every_ms; /* PROFSHIM_SNAPSHOT_EVERY, 0: never */
	uint64_t span_floor_ns;		/* PROFSHIM_SPANS; 0: none is kept */
	int snapshot_signal;		/* PROFSHIM_SNAPSHOT_SIGNAL, 0: none */
	unsigned int wait_ms; /* PROFSHIM_WAIT: longest wait for the collector at exit */
	const char *snapshot_at;  /* PROFSHIM_SNAPSHOT_AT, borrowed, NULL: unset */
	const char *from, *until; /* PROFSHIM_FROM without its count, PROFSHIM_UNTIL */
	unsigned int from_length; /* of from */
	unsigned long from_call;  /* 0: unset */
	const char *why;	  /* PROFSHIM_WHY, "auto" by default, empty: off */
	const char *while_step;	  /* PROFSHIM_WHILE_STEP, NULL: unset */
	const char *only, *skip;  /* PROFSHIM_ONLY, PROFSHIM_SKIP, likewise */
	const char *library;	  /* PROFSHIM_LIBRARY, likewise; not looked at here */
	const char *output;	  /* borrowed from the environment, "run.db" by default */
	const char *label;	  /* likewise, "" by default */
	const char *collector;	  /* likewise, NULL: search */
	const char
		*joined_run; /* PROFSHIM_RUN, set by us in the environment of children */
	struct segment_job job; /* that a launcher began this process for */
	char ignored[128];	/* "NAME=value" of the first value not understood */
};

/* Notes a value that was not understood; the first one is kept. */
void config_ignore(struct config *config, const char *name, const char *value);

/* Reads environment entries ("NAME=value", NULL at the end). Never fails. */
void config_read(struct config *config, char **environment);
