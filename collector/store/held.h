/* SPDX-License-Identifier: MIT */
/*
 * Databases in directories that others may write to: SQLite opens every file beside
 * run.db through one held descriptor of the directory, and each is checked once it is
 * open. Must not follow another user's symbolic link, or write into another user's file.
 *
 * SQLite's own SQLITE_OPEN_NOFOLLOW refuses links anywhere in the path (a linked /tmp, a
 * linked home) and ignores owners. A check before SQLite opens a file may see another
 * file than SQLite does. So SQLite gets paths relative to a directory descriptor, and the
 * system calls of its "unix" VFS are replaced for these.
 */
#pragma once

#include <stddef.h>

struct sqlite3;

enum held_use {
	HELD_READ,  /* anybody's file; nothing is created */
	HELD_WRITE, /* our own files with a single link */
};

struct held_file {
	int directory_fd;
	enum held_use use;
	char name[256];	  /* in the directory */
	char shown[4096]; /* as the user gave it */
};

/* Why the last file that SQLite wanted was refused, continuing a sentence that begins
 * with the file's name ("run.db-journal belongs to alice ..."); "": none since
 * held_connect(). */
const char *held_refusal(void);

/*
 * Finds the directory of path and what has its name there. A link at the end of path is
 * followed for reading, or if it is our own and nobody else can put one there. 0;
 * -ENOENT: the directory is held, but there is no such file yet; another -errno with a
 * sentence in error. Call held_done() after 0 and -ENOENT.
 */
int held_find(const char *path, enum held_use use, struct held_file *ret, char *error,
	      size_t error_size);
void held_done(struct held_file *file);

/* Opens file, or another name in its directory if name is not NULL, with the flags of
 * sqlite3_open_v2(). Returns SQLite's code. Close *ret even after an error. */
int held_connect(const struct held_file *file, const char *name, int flags,
		 struct sqlite3 **ret);
