/* SPDX-License-Identifier: MIT */
/*
 * Spool directories beside an output file: listing, recovering, reading while the run
 * goes on. Must not touch a spool that a collector holds the lock of.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct rundir;
struct sqlite3;
struct store_waiting;

enum spool_state {
	SPOOL_RECORDING,  /* a collector watches, processes are alive */
	SPOOL_FINISHING,  /* a collector is writing run.db */
	SPOOL_UNATTENDED, /* no collector, but a process of the run is alive */
	SPOOL_ABANDONED,  /* no collector, all processes dead: spool_recover() */
	SPOOL_FOREIGN,	  /* of another user, or writable by others: left alone */
};

struct spool_run {
	char directory[4096]; /* run.db-spool/TOKEN; of all runs when all are foreign */
	char token[17];
	enum spool_state state;
	int first_pid, collector_pid; /* 0: not known */
	char owner[96];		      /* of a foreign one, in words */
};

/*
 * All runs in OUTPUT-spool, in no order; there may be none. What is not the caller's
 * (root is no exception: whose files they are can change them at any moment) is listed,
 * once when the spool itself is foreign, and cannot be recovered or read. A run whose
 * collector has written run.db already and only waits for the program's death is not
 * listed. A collector holds flock(LOCK_EX) on directory/run while it lives. *ret_runs is
 * owned by the caller (free). 0 or -errno.
 */
int spool_list(const char *output, struct spool_run **ret_runs, size_t *ret_count);

/* Ingests an abandoned run into output (created when missing), with collector_recovered
 * in trust, and removes the spool. 0, or -errno with one sentence in error; -EAGAIN:
 * somebody else took it meanwhile. waiting: told while output is locked, or NULL. */
int spool_recover(const struct spool_run *run, const char *output,
		  const struct store_waiting *waiting, char *error, size_t error_size);

/* A thread that lives, and where it is. */
struct spool_thread {
	int32_t pid, tid;
	char name[16];
	int64_t cpu_ns, ready_ns; /* since it was made; -1: not known */
	int64_t path_id;	  /* 0: outside of all functions */
};

/* Who lives. Zeroed: nobody. */
struct spool_look {
	uint32_t living_count;	      /* processes */
	int32_t first_pid;	      /* of these */
	struct spool_thread *threads; /* owned */
	size_t thread_count;
};

/* Ingests what there is so far into db, an open handle with the schema (":memory:") and
 * without a run; leaves the spool alone; the run is not complete. ret: free
 * ret->threads. 0, or -errno with a sentence. */
int spool_look(const struct rundir *rundir, struct sqlite3 *db, struct spool_look *ret,
	       char *error, size_t error_size);
/* The same of a run in a list. */
int spool_read_live(const struct spool_run *run, struct sqlite3 *db, char *error,
		    size_t error_size);
