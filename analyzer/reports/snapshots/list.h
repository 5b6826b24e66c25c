/* SPDX-License-Identifier: MIT */
/* The snapshots of a run by process. */
#pragma once

#include "analyzer/model/moment.h"
#include "analyzer/reports/report.h"

struct snapshot_process {
	int64_t process_id, pid;
	bool has_peak;	     /* the run's peak is this process's */
	size_t first, count; /* in snapshot_list.snapshots */
};

struct snapshot_list {
	struct snapshot *snapshots; /* by process, in order */
	size_t count;
	struct snapshot_process *processes; /* those that --process selects */
	size_t process_count;
	size_t run_process_count;
	struct arena texts;
};

/* Loads the list, restricted by --process. */
void snapshot_list_load(struct report_input *input, struct snapshot_list *ret);
/* "PID 4100, 4101 (#7) and 3 more": the chosen processes, or all (NULL). Shows the
 * process_id if the PID is not enough. */
void snapshot_put_pids(struct strbuf *text, const struct snapshot_list *list,
		       const bool *chosen);
