/* SPDX-License-Identifier: MIT */
/* Merges the lanes of a run. Must not know about SQL or the collector. */
#pragma once

#include "collector/merge/merge.h"

/* Merges everything. ends: one for each process. path_limit,
 * share_limit: 0 for the usual ones. Free
 * with merge_done(); run and ticks are borrowed until then. */
void run_merge(struct merge *ret, const struct read_run *run, const struct ticks *ticks,
	       const struct merge_end *ends, size_t path_limit, size_t share_limit);
