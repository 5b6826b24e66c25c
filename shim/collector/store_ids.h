/* SPDX-License-Identifier: MIT */
/*
 * What this is:  where the ids of a run's rows begin, and the parts of store_run().
 * Runs on:       one thread at a time; store.
 * Must not:      be used outside shim/collector/store*.c.
 * See also:      shim/collector/store.c
 */
#pragma once

#include <stdint.h>

#include "shim/collector/ingest.h"

struct sqlite3;

/* An id is the number here plus the index in the run: process_id = process + index. */
struct store_ids {
	int64_t run, process, lane, thread, module, function, path, site, snapshot,
		series;
};

static inline int64_t store_path_id(const struct store_ids *ids, uint32_t path)
{
	return ids->path + path - 1; /* path 0 is the root above all */
}

/* Insert rows; return SQLITE_OK or SQLite's error. */
int store_run_rows(struct sqlite3 *db, const struct ingest *ingest,
		   const struct store_ids *ids);
int store_gpu_rows(struct sqlite3 *db, const struct ingest *ingest,
		   const struct store_ids *ids);
int store_snapshot_rows(struct sqlite3 *db, const struct ingest *ingest,
			const struct store_ids *ids);
int store_mark_rows(struct sqlite3 *db, const struct ingest *ingest,
		    const struct store_ids *ids);
int store_tree_rows(struct sqlite3 *db, const struct ingest *ingest,
		    const struct store_ids *ids);
