/* SPDX-License-Identifier: MIT */
/* What the user names, a PID or a run.db, as a run that can be looked at. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/read/rundir.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"

struct source {
	struct rundir rundir;
	char *output;		  /* run.db of the run, owned */
	uint64_t token, begin_ns; /* of the run; on CLOCK_MONOTONIC */
	int32_t pid, inner_pid; /* asked for, and in its own PID namespace; 0: the run */
	uint64_t start_time;	/* of the process */
};

/* Else a sentence in error; STATUS_NOTHING: nothing is being recorded there. Free with
 * source_close(). */
enum exit_status source_open(const char *word, struct source *ret, struct strbuf *error);
/* The run in a directory of a spool. 0, or -errno with a sentence. */
int source_open_run(struct source *ret, const char *directory, char *error,
		    size_t error_size);
void source_close(struct source *source);

/* Is another run being recorded beside the file that is looked at, which began later?
 * ret: as above; a process is none. */
bool source_next(const char *word, const struct source *old, struct source *ret);
/* Does the process live that was asked for? Of a run, true. */
bool source_lives(const struct source *source);
