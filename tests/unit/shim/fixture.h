/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a recording process for the shim's unit tests: a run in a temporary
 *                directory, a segment file, a lane for the calling thread. No hooks are
 *                interposed; the tests call the shim's functions.
 */
#pragma once

#include "shim/core/process.h"
#include "shim/lane/lane.h"

/* Begins a run. path_limit as PROFSHIM_MAX_PATHS. Aborts the test on failure. */
void fixture_begin(unsigned int path_limit);

/* Removes the run's files. The mappings stay until the test program ends. */
void fixture_end(void);
