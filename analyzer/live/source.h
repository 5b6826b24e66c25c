/* SPDX-License-Identifier: MIT */
/* The run to look at, named by a PID or a run.db. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/read/rundir.h"
#include "common/base/command.h"
#include "common/base/text.h"

struct source {
	struct rundir rundir;
	char *output;		  /* run.db of the run, owned */
	uint64_t token, begin_ns; /* of the run; begin_ns by CLOCK_MONOTONIC */
	int32_t pid,
		inner_pid;   /* as asked for, and in its own PID namespace; 0: the run */
	uint64_t start_time; /* of the process */
};

/* Opens what the user named, or ends the command. Free with source_close(). */
void source_open(const char *word, struct source *ret);
/* Opens the run in a spool's directory. 0, or -errno with a sentence. */
int source_open_run(struct source *ret, const char *directory, char *error,
		    size_t error_size);
void source_close(struct source *source);

/* Whether a later run is being recorded beside the same file; opens it in ret. Always
 * false for a process. */
bool source_next(const char *word, const struct source *old, struct source *ret);
/* Whether the chosen process lives; true for a run. */
bool source_lives(const struct source *source);
