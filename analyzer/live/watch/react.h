/* SPDX-License-Identifier: MIT */
/* Runs the user's command for a finding. */
#pragma once

#include "analyzer/findings/finding.h"

struct react {
	const char **words; /* the command, ended by NULL */
	const char *output; /* run.db of the run */
	int pid;	    /* of the program; 0: not known */
};

/* Runs it with the finding as JSON on stdin and in the environment (docs/live.md), and
 * waits for its end. 0, the status it ended with (128 and more: a signal), or -errno when
 * it could not be begun. */
int react_run(const struct react *react, const struct findings *findings, size_t index);
