/* SPDX-License-Identifier: MIT */
/* What is looked at and set up before a program runs: output, program, shim. */
#pragma once

#include <stdbool.h>

#include "record/options.h"
#include "collector/symbols/target.h"

/* The output's path made absolute. ret: PATH_MAX bytes. false: said why not. */
bool record_absolute_output(const char *output, char *ret);

/* Examines the program. 0: it can be run; else it was said why not, and this is the exit
 * status. */
int record_check_target(const char *program, struct target_report *ret);

/* Why not a single event of the program can be recorded; NULL: it can. */
const char *record_why_nothing(const struct target_report *target);

/* Notes about a program that can run. One each, most important first. */
void record_say_notes(const struct target_report *target);

/* Finds the shim and sets the environment; false: said why not. */
bool record_prepare(const struct record_options *options,
		    const struct target_report *target, const char *output);
