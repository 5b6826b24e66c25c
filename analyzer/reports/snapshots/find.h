/* SPDX-License-Identifier: MIT */
/* Which moments of which process the user means. */
#pragma once

#include "analyzer/model/moment.h"
#include "analyzer/reports/snapshots/list.h"

/* Whether sites tell what the process had at its exit: no other process of the run may
 * have allocated on its paths. */
enum exit_status snapshot_knows_exit(struct report_input *input,
				     const struct snapshot_list *list,
				     const struct snapshot_process *process,
				     bool *ret_known);

/* Finds the process that has all named moments (NULL is skipped), and the moments. If
 * several match, the one with snapshots counts. Fails with a sentence. */
enum exit_status snapshot_find(struct report_input *input,
			       const struct snapshot_list *list, const char *const *words,
			       size_t count, const struct snapshot_process **ret_process,
			       struct moment *ret_moments);
