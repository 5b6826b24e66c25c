/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a spool of a fuzz target's own, made once.
 * Runs on:       tests; libFuzzer or replay.c.
 * See also:      fuzz_segment.c; fuzz_history.c
 */
#pragma once

#include "collector/read/rundir.h"

#define FUZZ_SEGMENT_NAME "1-1.segment"

/* Opens it. It is removed at exit, with a run's page, state and FUZZ_SEGMENT_NAME. Aborts
 * on failure. */
void fuzz_spool_begin(struct rundir *ret);
