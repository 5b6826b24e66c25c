/* SPDX-License-Identifier: MIT */
/*
 * Stores a run: which way, in which order, and the messages on failure. Must not report a
 * run as stored before it is on the disk.
 */
#include "collector/store/store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "collector/store/held.h"
#include "collector/store/ids.h"

/* Others may make, remove or replace the file before each try. */
#define TRIES 5

/* Writes the run, from the first turn to the last. */
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

/* Syncs the directory. Until then a power cut could bring the removed journal back, which
 * would roll the run back. */
static int sync_directory(const struct store *store, const struct held_file *file,
			  char *error, size_t error_size)
{
	/* a directory opened for searching only cannot be synced: EBADF */
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
