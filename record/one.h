/* SPDX-License-Identifier: MIT */
/* One run of a program under the shim: checks and setup, its start, its end, and the
 * file. Only the checks end prof-record. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/symbols/target.h"
#include "record/options.h"
#include "record/summary.h"

enum record_outcome {
	RECORD_DONE,	   /* nothing of ours is left in the spool */
	RECORD_STILL_OPEN, /* time is up, or processes of the run live on */
	RECORD_FAILED,	   /* it could not be stored and stays in the spool */
};

struct record_task {
	const struct record_options *options;
	const char *output; /* absolute path of run.db */
	char **command;
	const struct target_report *target;
	int stdin_fd, stdout_fd; /* of the program, -1: ours */
	bool is_plain;		 /* only samples are recorded */
};

struct record_result {
	int wait_status;
	enum record_outcome outcome;
	bool is_stored;		     /* the rest is valid */
	struct record_stored stored; /* the run in the file */
	char error[4096 + 256];	     /* RECORD_FAILED: why */
};

/* The environment must be set. Returns 0, or, with a message, the exit status for a
 * program that could not be started. */
int record_one(const struct record_task *task, struct record_result *ret);

/* Says where the run is, or why there is none. prefix: precedes a stored run's line. */
void record_say_result(const struct record_task *task, const struct record_result *result,
		       const char *prefix);

/* Checks before the first run, which end prof-record if they fail. The output's absolute
 * path: */
char *record_absolute_output(const char *output);
/* What the program is; it can be run. */
void record_check_target(const char *program, struct target_report *ret);

/* Why not a single event of the program can be recorded; NULL: it can. */
const char *record_why_nothing(const struct target_report *target);

/* Prints notes about a program that can run, one per problem, most important first. */
void record_say_notes(const struct target_report *target);

/* Finds the shim and sets the environment. */
void record_prepare(const struct record_options *options,
		    const struct target_report *target, const char *output);
