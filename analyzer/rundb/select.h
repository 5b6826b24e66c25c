/* SPDX-License-Identifier: MIT */
/* Finds the run that the user means. */
#pragma once

#include "analyzer/rundb/rundb.h"

/* wanted: a run_id, a label (its latest run), or NULL for the latest run. error: one
 * sentence that lists what there is. -ENOENT: no such run. */
int select_run(struct rundb *db, const char *wanted, int64_t *ret_run_id,
	       struct strbuf *error);
