/* SPDX-License-Identifier: MIT */
/*
 * A run's directory in the spool, held by descriptor, and the files in it. Must not
 * follow a symbolic link, touch another user's files, or look a path up twice: whoever
 * can write beside the spool can change it in between.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "common/segment.h"

struct rundir {
	int fd;			     /* of OUTPUT-spool/TOKEN */
	int spool_fd;		     /* of OUTPUT-spool */
	char path[SEGMENT_PATH_MAX]; /* as it was opened: for messages */
	uid_t owner;		     /* owner of what was refused, see rundir_open() */
};

#define RUNDIR_NONE                                                                      \
	(struct rundir)                                                                  \
	{                                                                                \
		.fd = -1, .spool_fd = -1                                                 \
	}

/* Opens OUTPUT-spool/TOKEN. Both must be directories of the caller (even for root) that
 * others cannot write into: else -EPERM. 0, or -errno with a sentence in error. Close
 * after 0; closing RUNDIR_NONE does nothing. */
int rundir_open(struct rundir *ret, const char *path, char *error, size_t error_size);
void rundir_close(struct rundir *rundir);

/* As open(). -EPERM: it is not a regular file with a single name, or not owned by the
 * directory's owner. */
int rundir_open_file(int directory_fd, const char *name, int flags);

/* Creates a file, mode 0600; removes what had its name. A descriptor or -errno. */
int rundir_create_file(int directory_fd, const char *name);

/* Takes the run's lock. Returns a descriptor that holds it until closed; -EAGAIN:
 * somebody else has it, or the run is gone; or another -errno. */
int rundir_lock(const struct rundir *rundir);

/* Removes the directory with its contents, and the spool if this was the last run. The
 * caller holds the lock, or the directory is one that somebody was removing. 0 or -errno.
 */
int rundir_remove(const struct rundir *rundir);

/* A directory has this before its name while it is removed. Who is killed at that leaves
 * it so; its run is stored, and whoever sees it removes the rest. */
#define RUNDIR_REMOVED "removed."
int rundir_is_removed(const char *name);

/* Recreates the directories of a run that somebody removed; closes the old descriptors.
 * 0, or -errno and *rundir is unchanged. */
int rundir_renew(struct rundir *rundir);

/* "user NAME (17)". */
void rundir_name_owner(uid_t owner, char *text, size_t size);

/* Opens a directory that should be the caller's. Returns a descriptor; -EPERM: it is
 * another user's, or others may write into it; or another -errno. *ret_owner: its owner
 * if it is not the caller's. */
int rundir_open_directory(int at, const char *name, uid_t *ret_owner);
