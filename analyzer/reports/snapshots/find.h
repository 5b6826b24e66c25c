/* SPDX-License-Identifier: MIT */
/* Which moments of which process the user means. */
#pragma once

#include "analyzer/model/moment.h"
#include "analyzer/reports/snapshots/list.h"

/* Whether sites tell what the process had at its exit: no other process of the run may
 * have allocated on its paths. */
bool snapshot_knows_exit(struct report_input *input, const struct snapshot_list *list,
			 const struct snapshot_process *process);

/* Finds the process that has all named moments (NULL is skipped), and the moments. If
 * several match, the one with snapshots counts. Ends the command if there is none, or no
 * single one. */
const struct snapshot_process *snapshot_find(struct report_input *input,
					     const struct snapshot_list *list,
					     const char *const *words, size_t count,
					     struct moment *ret_moments);
