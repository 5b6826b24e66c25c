/* SPDX-License-Identifier: MIT */
/*
 * prof-record --repeat: many runs of one program, or of two in turns. Must not mix its
 * runs with ones that bear their labels, unless asked to.
 */
#pragma once

#include "collector/symbols/target.h"
#include "record/options.h"

/* The environment must be set. target: of options->command. Returns the wait status that
 * prof-record is to end with; what went wrong has been said. */
int record_series(const struct record_options *options, const char *output,
		  const struct target_report *target);
