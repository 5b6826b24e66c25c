/* SPDX-License-Identifier: MIT */
/*
 * The snapshots of a run by process, and which moments of which process the user means.
 */
#pragma once

#include "analyzer/model/moment.h"
#include "analyzer/reports/common.h"

struct snapshot_process {
	int64_t process_id, pid;
	bool has_peak;	     /* the run's peak is its own */
	size_t first, count; /* in snapshot_list.snapshots */
};

struct snapshot_list {
	struct snapshot *snapshots; /* by process, in order */
	size_t count, capacity;
	struct snapshot_process *processes; /* those that --process lets through */
	size_t process_count, process_capacity;
	size_t run_process_count;
	struct arena texts;
};

/* Loads, with --process only that one's. Fails with a sentence. */
enum exit_status snapshot_list_load(struct report_input *input,
				    struct snapshot_list *ret);
/* "PID 4100, 4101 (#7) and 3 more": those that are chosen, or all (NULL); with the
 * process_id when it takes that to choose. */
void snapshot_put_pids(struct strbuf *text, const struct snapshot_list *list,
		       const bool *chosen);
void snapshot_list_free(struct snapshot_list *list);

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
