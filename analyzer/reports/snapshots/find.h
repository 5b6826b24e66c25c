/* SPDX-License-Identifier: MIT */
/* Which moments of which process the user means. */
#pragma once

#include "analyzer/model/moment.h"
#include "analyzer/reports/snapshots/list.h"

/* Whether what a process had at its exit is known by site: no other process of the run
 * allocated on its paths. */
enum exit_status snapshot_knows_exit(struct report_input *input,
				     const struct snapshot_list *list,
				     const struct snapshot_process *process,
				     bool *ret_known);

/* Finds the process that has all of the named moments (NULL words are skipped) and the
 * moments in it; of several the one that has snapshots. Fails with a sentence. */
enum exit_status snapshot_find(struct report_input *input,
			       const struct snapshot_list *list, const char *const *words,
			       size_t count, const struct snapshot_process **ret_process,
			       struct moment *ret_moments);
