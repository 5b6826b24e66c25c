/* SPDX-License-Identifier: MIT */
/*
 * Spool directories beside an output file: lists them, recovers runs, and reads a run
 * that goes on. Must not touch a spool whose lock a collector holds.
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
	char directory[4096]; /* run.db-spool/TOKEN; the whole spool if that is foreign */
	char token[17];
	enum spool_state state;
	int first_pid, collector_pid; /* 0: not known */
	char owner[96];		      /* of a foreign run, in words */
};

/*
 * Lists all runs in OUTPUT-spool, in no order; there may be none. What is not the
 * caller's is listed (once if the whole spool is foreign), but cannot be recovered or
 * read. Root is no exception: the owner can change files at any moment. A run whose
 * collector has written run.db already and only waits for the program's death is not
 * listed. A living collector holds flock(LOCK_EX) on directory/run. *ret_runs is owned by
 * the caller (free). 0 or -errno.
 */
int spool_list(const char *output, struct spool_run **ret_runs, size_t *ret_count);

/* Stores an abandoned run in output (created if missing), with collector_recovered in
 * trust, and removes the spool. 0; -EAGAIN: another process took it meanwhile; another
 * -errno with a sentence in error. waiting: called while output is locked, or NULL. */
int spool_recover(const struct spool_run *run, const char *output,
		  const struct store_waiting *waiting, char *error, size_t error_size);

/* A living thread and where it is. */
struct spool_thread {
	int32_t pid, tid;
	char name[16];
	int64_t cpu_ns, ready_ns; /* since the thread's start; -1: not known */
	int64_t path_id;	  /* 0: outside of all functions */
};

/* The living processes and threads. All zero: none. */
struct spool_look {
	uint32_t living_count;	      /* processes */
	int32_t first_pid;	      /* of these */
	struct spool_thread *threads; /* owned */
	size_t thread_count;
};

/* Stores what there is so far in db, an open handle with the schema (":memory:") and no
 * run. Leaves the spool alone; the run is marked as not complete. The caller frees
 * ret->threads. 0, or -errno with a sentence. */
int spool_look(const struct rundir *rundir, struct sqlite3 *db, struct spool_look *ret,
	       char *error, size_t error_size);
/* The same for a run of spool_list(). */
int spool_read_live(const struct spool_run *run, struct sqlite3 *db, char *error,
		    size_t error_size);
