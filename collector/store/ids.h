/* SPDX-License-Identifier: MIT */
/*
 * The state of storing a run: where its ids begin, its turns, and the parts of
 * store_run().
 */
#pragma once

#include <stdint.h>

#include "collector/ingest/ingest.h"
#include "common/base/pool.h"
#include "collector/store/waiting.h"

struct sqlite3;
struct held_file;
struct named;

/* An id is the number here plus the index in the run: process_id = process + index. */
#define STORE_ID_KINDS 10
union store_ids {
	struct {
		int64_t run, process, lane, thread, module, function, path, site,
			snapshot, series;
	};
	int64_t all[STORE_ID_KINDS]; /* in the order of the columns of table storing */
};

struct store {
	struct pool pool; /* of the numbers of rows and the names */
	struct sqlite3 *db;
	const char *shown; /* the file's name for messages */
	const struct ingest *ingest;
	const struct store_waiting *waiting;
	union store_ids ids;  /* first id of each kind */
	union store_ids ends; /* last id of each kind; run is not used */
	int has_ids;	      /* both are known */
	int may_yield;	      /* turns may end */
	int is_claimed;	      /* has a row in storing */
	int is_lost;	      /* another process took it for dead and removed it */
	/* Ids of rows. Without a row: 0 for functions and modules, -1 for threads. */
	int64_t *functions, *modules, *threads;
	size_t *first_threads;	     /* of each process, in threads */
	struct named *names;	     /* of the functions; NULL: their own */
	uint64_t turn_ns, locked_ns; /* when the turn, and the wait for the lock, began */
	unsigned waited_ms;	     /* of the latest wait */
};

static inline int64_t store_path_id(const union store_ids *ids, uint32_t path)
{
	return ids->path + path - 1; /* path 0 is the root above all */
}

/* The row of the lane that a lane's shares are stored under. */
static inline int64_t store_lane_id(const union store_ids *ids,
				    const struct ingest *ingest, uint32_t lane)
{
	const uint32_t *rows = ingest->merge.row_lanes;

	return ids->lane + (rows ? rows[lane] : lane);
}

/* Numbers the rows of threads, functions and modules. Not all of these have one; threads
 * without a lane have none. */
void store_number_threads(struct store *store);
void store_number_functions(struct store *store);
void store_forget_numbers(struct store *store);

/* In turn.c. All return SQLite's code. A turn is a transaction. */
int store_begin(struct store *store);
int store_commit(struct store *store);
/* Ends the turn when it has lasted long enough, and begins the next. */
int store_yield(struct store *store);
/* Removes what dead writers left and the run of this token, then finds the ids. */
int store_prepare(struct store *store);
/* Removes the announcement: the run is complete. */
int store_unclaim(struct store *store);
/* After an error: removes what has been committed, if possible. */
void store_give_up(struct store *store);
/* A busy handler for sqlite3_busy_handler(). */
int store_busy(void *context, int count);

/* In open.c. 0, or -errno with a sentence. */
int store_open_existing(struct store *store, const struct held_file *file, char *error,
			size_t error_size);

/* Like the former; -EEXIST: the file exists by now, so open that. */
int store_new_file(struct store *store, const struct held_file *file, char *error,
		   size_t error_size);

/* In run.c: inserts all rows, inside a turn. */
int store_all_rows(struct store *store);
/* In open.c: turns SQLite's last error into -errno and a sentence. */
int store_fail(const struct store *store, int code, char *error, size_t error_size);
