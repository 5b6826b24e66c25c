/* SPDX-License-Identifier: MIT */
/*
 * Turns a spool directory into what run.db says about the run. Must not know about SQL.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/processes/ending.h"
#include "collector/merge/merge.h"
#include "collector/processes/cpu_book.h"
#include "collector/read/read.h"
#include "collector/processes/resources.h"
#include "collector/account/account.h"
#include "collector/processes/ticks.h"

/* A process that the collector saw running as another user than the recording's. */
struct ingest_user {
	int32_t pid;
	uint64_t start_ticks; /* with pid: which process */
};

/* What a collector knows besides the spool; all zero without one. */
struct ingest_watch {
	const struct ending_death *deaths;
	size_t death_count;
	const struct ingest_user *other_users;
	size_t other_user_count;
	const struct resources *resources; /* borrowed, or NULL */
	const struct gpu_samples *gpu;	   /* likewise */
	const struct cpu_book *outside;	   /* likewise */
	struct read_run *kept; /* images read already, whose ownership passes; or NULL */
	/* Objects to which rules about source files do not apply; the first, and why. */
	uint64_t unread_objects;
	const char *unread_object;
	size_t damaged_sample_count; /* in the run's file of samples */
	int is_live;		     /* processes may be alive: take what there is */
	int is_recovered;	     /* the run's own collector is gone */
	/* limits of the merge; 0: MERGE_PATH_LIMIT and MERGE_SHARE_LIMIT */
	size_t path_limit, share_limit;
};

/* A row of trust, about the whole run. */
struct ingest_fact {
	const char *name;
	uint64_t value;
	char text[256]; /* empty: none */
};

struct ingest {
	struct ingest_watch watch;
	struct read_run run;
	struct ticks ticks;
	struct ending *endings; /* parallel to run.processes */
	struct merge merge;
	struct snapshots snapshots;
	uint32_t first_process;	   /* ENDING_NONE: it has no slot */
	struct wait_status status; /* of the first process */
	int is_complete;
	uint64_t end_ticks; /* of the last process to end */
	struct ingest_fact *facts;
	size_t fact_count;
};

/* Reads and merges the run in a directory, without changing it. 0, or -errno with a
 * sentence in error; then nothing is left to free. Free with ingest_done(). */
int ingest_load(struct ingest *ret, const struct rundir *rundir,
		const struct ingest_watch *watch, char *error, size_t error_size);
void ingest_done(struct ingest *ingest);

/* Fills ingest->facts, the rows of trust, from the rest: everything that keeps a run from
 * being complete and exact, and a few plain facts. One row for each name, about the whole
 * run. A note of the shim is a row note_NAME with value 1 and a sentence. */
void trust_collect(struct ingest *ingest);
