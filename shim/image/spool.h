/* SPDX-License-Identifier: MIT */
/*
 * The directory of a run, made or found by a traced process, and checked. Runs on: the
 * constructor, and before a process gives up its privileges. Must not keep a descriptor,
 * or follow a symbolic link at the end of a path.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"

struct spool {
	int fd;			     /* AT_FDCWD: there are not enough descriptors */
	char path[SEGMENT_PATH_MAX]; /* of the run's directory */
};

/*
 * Makes OUTPUT-spool, unless it is there, and in it the directory of a new run. Both are
 * this user's alone, or it fails: the directory that the output lies in may be anybody's.
 * 0, or -errno with a sentence in error. Close with spool_close().
 */
int spool_make(struct spool *ret, const char *output, uint64_t token, char *error,
	       size_t error_size);

/* Opens the directory of a run that has begun. 0, -EPERM: it is another user's, or others
 * may write into it, or another -errno. Close with spool_close(). */
int spool_open(struct spool *ret, const char *path);
void spool_close(struct spool *spool);

/* Opens a file in it, as open() does. -EPERM: it is no regular file of this user's, or
 * it has another name, too. */
int spool_open_file(const struct spool *spool, const char *name, int flags);

/* A new file, for reading and writing. A descriptor or -errno. */
int spool_create_file(const struct spool *spool, const char *name);
void spool_remove_file(const struct spool *spool, const char *name);

/* Removes a run that could not begin, and the spool when nothing else is in it. */
void spool_abandon(const struct spool *spool);
