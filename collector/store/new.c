/* SPDX-License-Identifier: MIT */
/*
 * A new run.db: made under another name, on the disk before it gets its own. Runs on:
 * one thread at a time; several processes may make the same file at once. Must not
 * replace a file, or follow a link that stands where the file is wanted.
 *
 * One fsync() is the whole price: without a journal, without locks, and what is not whole
 * has no name that anybody reads. Tried and dropped: naming the file first and syncing it
 * afterwards, which spares the first process that fsync() (2 to 4 ms on ext4), but after
 * a power cut run.db may be any mixture of pages, and stand in the way of its own spool.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/database/held.h"
#include "collector/store/ids.h"
#include "collector/database/guard.h"

/* The descriptor of an empty file of ours, or -errno. */
static int make_empty(int directory_fd, const char *name)
{
	int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(directory_fd, name, flags, 0600);

	/* left by who stored the same run before us and was killed: we have its lock */
	if (fd < 0 && errno == EEXIST && unlinkat(directory_fd, name, 0) == 0)
		fd = openat(directory_fd, name, flags, 0600);
	return fd < 0 ? -errno : fd;
}

/* All rows into the file that place names. */
static int fill(struct store *store, const struct held_file *place)
{
	int code = held_connect(place, NULL, SQLITE_OPEN_READWRITE, &store->db);

	if (code == SQLITE_OK)
		code = sqlite3_exec(store->db,
				    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				    "PRAGMA locking_mode = EXCLUSIVE;"
				    "PRAGMA cache_size = -16000;"
				    "BEGIN",
				    NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = guard_create_schema(store->db);
	if (code == SQLITE_OK)
		code = store_all_rows(store);
	return code == SQLITE_OK ? sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL)
				 : code;
}

static int sync_file(const struct store *store, int fd)
{
	const struct store_waiting *waiting = store->waiting;
	int result;

	if (waiting && waiting->syncing)
		waiting->syncing(waiting->context, 1);
	result = fsync(fd) < 0 ? -errno : 0;
	if (waiting && waiting->syncing)
		waiting->syncing(waiting->context, 0);
	return result;
}

/* Gives the file its own name, unless that is taken: -EEXIST. */
static int publish(const struct held_file *place, const struct held_file *file)
{
	int fd;

	if (renameat2(place->directory_fd, place->name, file->directory_fd, file->name,
		      RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* a file system that cannot do that may have hard links */
	if (linkat(place->directory_fd, place->name, file->directory_fd, file->name, 0) ==
	    0) {
		unlinkat(place->directory_fd, place->name, 0);
		return 0;
	}
	if (errno == EEXIST || errno == EXDEV)
		return -errno;
	/* or nothing of the kind: then an empty file is made, and filled
	 * like any other */
	fd = openat(file->directory_fd, file->name,
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return -EEXIST;
}

static int make_in(struct store *store, const struct held_file *place,
		   const struct held_file *file, char *error, size_t error_size)
{
	int fd = make_empty(place->directory_fd, place->name), code, result;

	if (fd < 0) {
		snprintf(error, error_size,
			 "cannot open %s for writing: %s; is its directory there and "
			 "writable?",
			 store->shown, strerror(-fd));
		return fd;
	}
	code = fill(store, place);
	result = code == SQLITE_OK ? 0 : store_fail(store, code, error, error_size);
	sqlite3_close(store->db);
	store->db = NULL;
	if (result == 0) {
		result = sync_file(store, fd);
		if (result == 0)
			result = publish(place, file);
		if (result < 0)
			snprintf(error, error_size, "cannot write %s: %s", store->shown,
				 strerror(-result));
	}
	close(fd);
	if (result < 0)
		unlinkat(place->directory_fd, place->name, 0);
	return result;
}

int store_new_file(struct store *store, const struct held_file *file, char *error,
		   size_t error_size)
{
	uint64_t token = store->ingest->run.page.token;
	struct held_file place = *file;
	int result;

	place.directory_fd = store->ingest->run.directory_fd;
	/* the spool's directory goes with everything in it */
	snprintf(place.name, sizeof(place.name), "new.%016" PRIx64, token);
	result = make_in(store, &place, file, error, error_size);
	/* the spool was removed, or is on another disk (run.db a link of the user's) */
	if (result != -ENOENT && result != -EXDEV && result != -EBADF)
		return result;
	place.directory_fd = file->directory_fd;
	snprintf(place.name, sizeof(place.name), ".%.200s.%016" PRIx64, file->name,
		 token);
	return make_in(store, &place, file, error, error_size);
}
