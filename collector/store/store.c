/* SPDX-License-Identifier: MIT */
/*
 * Storing a run: which way, in which order, and what is said on failure. Must not say
 * that a run is stored before it is on the disk.
 */
#include "collector/store/store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "collector/store/held.h"
#include "collector/store/ids.h"

/* Somebody may make, remove or take the file each time. */
#define TRIES 5

int store_fail(const struct store *store, int code, char *error, size_t error_size)
{
	const char *path = store->shown;

	switch (code & 0xff) {
	case SQLITE_NOTADB:
		snprintf(error, error_size,
			 "%s is not an SQLite database; move it away or set "
			 "PROFSHIM_OUTPUT to another file",
			 path);
		return -EINVAL;
	case SQLITE_CORRUPT:
		snprintf(error, error_size, "%s is damaged; move it away", path);
		return -EINVAL;
	case SQLITE_FULL:
		snprintf(error, error_size, "no space left on the disk of %s", path);
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		if (store->waited_ms < 1000)
			snprintf(error, error_size, "%s is locked by another program",
				 path);
		else
			snprintf(error, error_size,
				 "%s has been locked by another program for %u s", path,
				 store->waited_ms / 1000);
		return -EBUSY;
	case SQLITE_NOMEM:
		snprintf(error, error_size, "out of memory while writing %s", path);
		return -ENOMEM;
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		if (*held_refusal())
			snprintf(error, error_size, "cannot write %s: %s", path,
				 held_refusal());
		else
			snprintf(error, error_size,
				 "cannot write %s: %s; is its directory writable?", path,
				 store->db ? sqlite3_errmsg(store->db)
					   : sqlite3_errstr(code));
		return -EACCES;
	default:
		snprintf(error, error_size, "cannot write %s: %s", path,
			 store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(code));
		return -EIO;
	}
}

int store_all_rows(struct store *store)
{
	int (*const parts[])(struct store *, const struct ingest *,
			     const struct store_ids *) = {
		store_run_rows,	 store_tree_rows, store_snapshot_rows,
		store_mark_rows, store_last_rows,
	};
	int code = store_prepare(store);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && code == SQLITE_OK; i++)
		code = parts[i](store, store->ingest, &store->ids);
	return code == SQLITE_OK ? store_unclaim(store) : code;
}

/* From the first turn to the last. */
static int write_run(struct store *store, char *error, size_t error_size)
{
	int result, code = store_begin(store);

	if (code == SQLITE_OK) {
		code = store_all_rows(store);
		if (code == SQLITE_OK)
			code = store_commit(store);
	}
	if (code == SQLITE_OK)
		return 0;
	result = store_fail(store, code, error, error_size);
	store_give_up(store);
	return store->is_lost ? -EAGAIN : result;
}

/* The journal is gone for good when the directory says so on the disk; before that a
 * power cut could bring it back, and with it take the run away. */
static int sync_directory(const struct store *store, const struct held_file *file,
			  char *error, size_t error_size)
{
	/* what is opened for searching only cannot be synced: EBADF */
	if (fsync(file->directory_fd) == 0 || errno == EBADF || errno == EINVAL)
		return 0;
	snprintf(error, error_size, "cannot sync the directory of %s", store->shown);
	return -EIO;
}

static void tell_readable(const struct store *store)
{
	if (store->waiting && store->waiting->readable)
		store->waiting->readable(store->waiting->context);
}

static int append(struct store *store, const struct held_file *file, char *error,
		  size_t error_size)
{
	int result = store_open_existing(store, file, error, error_size);

	if (result == 0) {
		store->may_yield = 1;
		result = write_run(store, error, error_size);
	}
	sqlite3_close(store->db);
	store->db = NULL;
	return result;
}

static int try_to_store(struct store *store, const char *output, char *error,
			size_t error_size)
{
	struct held_file file;
	int result = held_find(output, HELD_WRITE, &file, error, error_size);

	if (result < 0 && result != -ENOENT)
		return result;
	store->shown = output;
	result = result == -ENOENT ? store_new_file(store, &file, error, error_size)
				   : append(store, &file, error, error_size);
	if (result == 0) {
		tell_readable(store);
		result = sync_directory(store, &file, error, error_size);
	}
	held_done(&file);
	return result;
}

int store_run(const char *output, const struct ingest *ingest,
	      const struct store_waiting *waiting, int64_t *ret_run_id, char *error,
	      size_t error_size)
{
	int result = -EAGAIN;

	for (int i = 0; i < TRIES && (result == -EAGAIN || result == -EEXIST); i++) {
		struct store store = {.ingest = ingest, .waiting = waiting};

		snprintf(error, error_size, "%s is taken away again and again", output);
		result = try_to_store(&store, output, error, error_size);
		if (result == 0 && ret_run_id)
			*ret_run_id = store.ids.run;
	}
	return result;
}

int store_run_into(struct sqlite3 *db, const struct ingest *ingest, char *error,
		   size_t error_size)
{
	struct store store = {
		.db = db, .shown = "the database in memory", .ingest = ingest};

	return write_run(&store, error, error_size);
}
