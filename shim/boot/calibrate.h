/* SPDX-License-Identifier: MIT */
/* What the hooks cost on this machine. Runs on: the constructor. */
#pragma once

#include "common/segment.h"

/* Measures the cost of the hooks, and the rate of the clock since run's start triple, for
 * a run that is about to begin. */
void calibrate_hooks(struct segment_run *run);
