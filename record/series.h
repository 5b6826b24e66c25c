/* SPDX-License-Identifier: MIT */
/*
 * prof-record --repeat: many runs of one program, or of two in turn. Must not mix its
 * runs with others of the same label, unless asked to.
 */
#pragma once

#include "collector/symbols/target.h"
#include "record/options.h"

/* The environment must be set. target: options->command's. Returns the wait status that
 * prof-record ends with, after any messages. */
int record_series(const struct record_options *options, const char *output,
		  const struct target_report *target);
