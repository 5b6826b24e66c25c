/* SPDX-License-Identifier: MIT */
/*
 * A run's directory in the spool, held by descriptor, and the files in it. Must not
 * follow a symbolic link, touch what belongs to somebody else, or look a path up twice:
 * whoever can write beside the spool can change it between.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "common/segment.h"

struct rundir {
	int fd;			     /* of OUTPUT-spool/TOKEN */
	int spool_fd;		     /* of OUTPUT-spool */
	char path[SEGMENT_PATH_MAX]; /* as it was opened: for messages */
	uid_t owner;		     /* of whichever was refused, see rundir_open() */
};

#define RUNDIR_NONE                                                                      \
	(struct rundir)                                                                  \
	{                                                                                \
		.fd = -1, .spool_fd = -1                                                 \
	}

/* Opens OUTPUT-spool/TOKEN. Both must be directories of the caller (root is no exception)
 * that others cannot write into: -EPERM otherwise. 0, or -errno with a sentence in error.
 * Close after 0; closing RUNDIR_NONE does nothing. */
int rundir_open(struct rundir *ret, const char *path, char *error, size_t error_size);
void rundir_close(struct rundir *rundir);

/* As open(). -EPERM when it is not a regular file with this name only, or not of the user
 * whose the directory is. */
int rundir_open_file(int directory_fd, const char *name, int flags);

/* A new file, mode 0600; what had its name is removed. A descriptor or -errno. */
int rundir_create_file(int directory_fd, const char *name);

/* Takes the run's lock. A descriptor that holds it until it is closed; -EAGAIN: somebody
 * else has it, or the run is gone; or another -errno. */
int rundir_lock(const struct rundir *rundir);

/* Removes the directory and what is in it, and the spool when it was the last run. The
 * caller holds the lock. 0 or -errno. */
int rundir_remove(const struct rundir *rundir);

/* Makes the directories again, for a run whose were removed by somebody; the old
 * descriptors are closed. 0 or -errno; *rundir is as before then. */
int rundir_renew(struct rundir *rundir);

/* "user NAME (17)". */
void rundir_name_owner(uid_t owner, char *text, size_t size);

/* A directory that may be the caller's: *ret_owner is whose it is when it is not. A
 * descriptor, -EPERM: another's, or others may write into it, or another -errno. */
int rundir_open_directory(int at, const char *name, uid_t *ret_owner);
