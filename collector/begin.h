/* SPDX-License-Identifier: MIT */
/*
 * Limits the number of collectors. A collector that somehow records another one would
 * start an endless chain, which takes a machine down in seconds. So each checks before it
 * begins. Runs on: profshim-collect's start.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns 1, with a sentence in reason, when this collector must not begin: one of our
 * ancestors, or of the process that begins the run (in the caller's PID namespace; 0: not
 * known), is a collector, or the user has too many already. What /proc hides is no
 * reason. */
int crowd_refuses(int32_t first_pid, char *reason, size_t reason_size);
