/* SPDX-License-Identifier: MIT */
/*
 * prof-record's command line as plain data. Must not do anything that the options ask
 * for, except --help and --version.
 */
#pragma once

#include <stdbool.h>

#include "record/sweep.h"

/* Exit statuses of prof-record itself. Otherwise it ends as the program did. */
enum record_status {
	RECORD_CANNOT = 1, /* cannot read or write what is needed */
	RECORD_USAGE = 2,
	RECORD_NOT_EXECUTABLE = 126,
	RECORD_NOT_FOUND = 127,
};

/* NULL and 0: not given. Strings are borrowed from argv or the environment. */
struct record_options {
	const char *output; /* never NULL: PROFSHIM_OUTPUT or "run.db" by default */
	const char *label, *stack_depth, *max_paths, *follow, *level, *overhead;
	const char *only, *skip, *from, *until, *while_step, *why, *spans;
	char *library;			  /* owned */
	const char *report, *report_file; /* a format; a file */
	unsigned int wait_s;
	bool quiet;
	char **command; /* the program and its arguments, ends with NULL */

	/* A series. repeat: recorded runs per side; 0: none, and the rest is unset. */
	unsigned int repeat, warmup;
	bool show_output, ignore_failure, append;
	const char *input;
	char **against; /* the other side's command: owned, one allocation */
	const char *against_label;
	struct sweep sweep; /* owned; without parameters: none */
	char *plain; /* against is this build, without hooks, of the same program */
};

/* Reads the command line. In a series, labels may come from PROFSHIM_LABEL, and each of
 * two sides has one. Ends the program after --help and --version, or with RECORD_USAGE
 * after a sentence about the error. */
void record_options_read(int argc, char **argv, struct record_options *ret);
