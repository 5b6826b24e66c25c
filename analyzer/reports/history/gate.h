/* SPDX-License-Identifier: MIT */
/*
 * history --gate: one new run judged by the levels that the earlier ones have now. Runs
 * on: prof-analyze, main thread. What cannot be read ends the command.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gate_checks;
struct report_input;
struct rundb;

/* Reads the run that --gate names, a file or one of the archive, into the tables `gated`
 * and `gated_functions`. */
struct gate_checks *gate_checks_begin(struct report_input *input);

struct gate_check_of {
	int64_t subject;
	const char *quantity; /* lives on */
	bool is_time, is_exact;
	double value, error; /* of the new run; error: a part of value */
	const double *level; /* borrowed for the call; the latest is the last */
	size_t count;
};
void gate_checks_add(struct gate_checks *checks, const struct gate_check_of *of);
/* Judges all of them together and fills the table `gate_checks`; checks NULL: with
 * nothing. Frees them. */
void gate_checks_end(struct gate_checks *checks, struct rundb *db);
