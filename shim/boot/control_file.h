/* SPDX-License-Identifier: MIT */
/* The file in which the collector tells what it has found out for the run
 * (common/segment_control.h). Runs on: the constructor. */
#pragma once

#include "shim/image/spool.h"

/* Makes it, for a run that begins. 0 or -errno. */
int control_file_create(const struct spool *spool, uint64_t token);

/* Maps it for reading: process_facts.control. 0 or -errno. */
int control_file_map(const struct spool *spool, uint64_t token);
