/* SPDX-License-Identifier: MIT */
/*
 * One run of a program under the shim, from its start to the file. Must not end
 * prof-record.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/finish.h"
#include "record/options.h"
#include "record/summary.h"
#include "collector/symbols/target.h"

struct record_task {
	const struct record_options *options;
	const char *output; /* absolute path of run.db */
	char **command;
	const struct target_report *target;
	int stdin_fd, stdout_fd; /* of the program, -1: ours */
};

struct record_result {
	int wait_status;
	enum record_outcome outcome;
	bool is_stored;		     /* then what follows is known */
	struct record_stored stored; /* the run in the file */
	char error[4096 + 256];	     /* RECORD_FAILED: why */
};

/* The environment must be set. Returns 0, or, after saying why, the exit status for a
 * program that could not be started. */
int record_one(const struct record_task *task, struct record_result *ret);

/* Says where the run is, or why there is none. prefix: in front of what is said about a
 * run in the file. */
void record_say_result(const struct record_task *task, const struct record_result *result,
		       const char *prefix);
