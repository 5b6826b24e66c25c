/* SPDX-License-Identifier: MIT */
/*
 * Databases in directories that others may write to: every file that SQLite opens beside
 * run.db is found through one held descriptor of the directory and looked at once it is
 * open. Must not follow a symbolic link that somebody else made, or write into a file of
 * somebody else's.
 *
 * SQLite's own SQLITE_OPEN_NOFOLLOW refuses links anywhere in the path (a linked /tmp, a
 * linked home) and says nothing about owners, and a look at the file before SQLite opens
 * it looks at another file than the one that is opened. So SQLite is given names of a
 * directory descriptor, and the system calls of its "unix" VFS are replaced for them.
 */
#pragma once

#include <stddef.h>

struct sqlite3;

enum held_use {
	HELD_READ,  /* anybody's file; nothing is created */
	HELD_WRITE, /* files of our own with one name */
};

struct held_file {
	int directory_fd;
	enum held_use use;
	char name[256];	  /* in the directory */
	char shown[4096]; /* as the user gave it */
};

/* Why the latest file that SQLite wanted was refused, in words that follow the file's
 * name ("run.db-journal belongs to alice ..."); "" when none was since held_connect(). */
const char *held_refusal(void);

/*
 * Finds the directory of path and what is there by its name. A link at the end of path
 * is followed when it is read, or when it is our own in a directory where nobody else
 * can put one. 0; -ENOENT: the directory is held, there is no such file in it yet;
 * another -errno with a sentence in error. held_done() after 0 and -ENOENT.
 */
int held_find(const char *path, enum held_use use, struct held_file *ret, char *error,
	      size_t error_size);
void held_done(struct held_file *file);

/* Opens file, or another name in its directory when name is not NULL, with the flags of
 * sqlite3_open_v2(). Returns SQLite's code. *ret has to be closed even then. */
int held_connect(const struct held_file *file, const char *name, int flags,
		 struct sqlite3 **ret);
