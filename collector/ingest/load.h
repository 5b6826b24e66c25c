/* SPDX-License-Identifier: MIT */
/* The steps from a spool directory to a merged run. Must not change the spool. */
#pragma once

#include "collector/ingest/ingest.h"

/* Reads and merges the run in a directory. 0, or -errno with a sentence in error; then
 * nothing is left to free. Free with ingest_done(). */
int ingest_load(struct ingest *ret, const struct rundir *rundir,
		const struct ingest_watch *watch, char *error, size_t error_size);
void ingest_done(struct ingest *ingest);
