/* SPDX-License-Identifier: MIT */
/*
 * Mkdir and open of a run's directories, with a look at whose they are. Runs on: the
 * constructor, and before a process gives up its privileges. Must not keep a descriptor,
 * or follow a symbolic link at the end of a path.
 *
 * In a directory that is somebody else's (or everybody's, like /tmp) the name of the
 * spool may be taken: by a directory that others can write into, or a link to one. So
 * whatever mkdir says, what is there is opened and looked at, and from then on held by
 * descriptor. That needs two of them; a program that may have no more than one free is
 * recorded by path, after the same look.
 */
#include "shim/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/segment_control.h"
#include "shim/core/syscall.h"

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define ATTEMPTS 16

/* From the kernel: a library like fakeroot may have other answers, for us and not for the
 * collector. */
static uid_t own_user(void)
{
	return (uid_t)SYSCALL(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

static int look_at(int fd, struct stat *ret)
{
	return SYSCALL(SYS_fstat, fd, ret, 0, 0, 0, 0) == 0;
}

/* A directory that is ours, and nobody else can write into. A descriptor, -EPERM, or
 * another -errno. */
static int open_ours(const char *path)
{
	int fd = open(path, OPEN_DIRECTORY);
	struct stat status;

	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? -EPERM : -errno;
	if (look_at(fd, &status) && status.st_uid == own_user() &&
	    !(status.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	close(fd);
	return -EPERM;
}

/* 0, also when it is there, or -errno with a sentence. */
static int make_directory(int at, const char *name, const char *path, char *error,
			  size_t error_size)
{
	int result = mkdirat(at, name, 0700) < 0 && errno != EEXIST ? -errno : 0;

	if (result < 0)
		snprintf(error, error_size, "cannot create %s: %s", path,
			 strerror(-result));
	return result;
}

static int refuse(int result, const char *path, char *error, size_t error_size)
{
	if (result == -EPERM)
		snprintf(error, error_size,
			 "%s is not a directory that user %u alone can write into; "
			 "remove it, or record elsewhere with PROFSHIM_OUTPUT",
			 path, own_user());
	else
		snprintf(error, error_size, "cannot open %s: %s", path,
			 strerror(-result));
	return result;
}

int spool_open(struct spool *ret, const char *path)
{
	int spare;

	if (path != ret->path)
		snprintf(ret->path, sizeof(ret->path), "%s", path);
	ret->fd = open_ours(path);
	if (ret->fd < 0)
		return ret->fd;
	spare = fcntl(ret->fd, F_DUPFD_CLOEXEC, 0);
	if (spare >= 0) {
		close(spare);
		return 0;
	}
	close(ret->fd);
	ret->fd = AT_FDCWD;
	return 0;
}

void spool_close(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
}

/* The run's directory is made in the spool that was looked at, wherever that is called
 * meanwhile. What is opened then is empty, or not ours. */
static int try_to_make(struct spool *spool, uint64_t token, char *error,
		       size_t error_size)
{
	size_t length = strlen(spool->path);
	int fd, result;

	result = make_directory(AT_FDCWD, spool->path, spool->path, error, error_size);
	if (result < 0)
		return result;
	fd = open_ours(spool->path);
	if (fd < 0)
		return refuse(fd, spool->path, error, error_size);
	snprintf(spool->path + length, 32, "/%016llx", (unsigned long long)token);
	result = make_directory(fd, spool->path + length + 1, spool->path, error,
				error_size);
	close(fd);
	if (result < 0)
		return result;
	result = spool_open(spool, spool->path);
	return result < 0 ? refuse(result, spool->path, error, error_size) : 0;
}

/* The collector of an earlier run may remove the spool, empty now, just after we found it
 * there. */
int spool_make(struct spool *ret, const char *output, uint64_t token, char *error,
	       size_t error_size)
{
	int result = -ENOENT;

	ret->fd = -1;
	for (int i = 0; i < ATTEMPTS && result == -ENOENT; i++) {
		snprintf(ret->path, sizeof(ret->path), "%.*s" SEGMENT_SPOOL_SUFFIX,
			 (int)sizeof(ret->path) - 64, output);
		result = try_to_make(ret, token, error, error_size);
	}
	return result;
}

/* What to call a file by, from the directory's descriptor. */
static const char *name_of(const struct spool *spool, const char *name, char *path,
			   size_t size)
{
	if (spool->fd != AT_FDCWD)
		return name;
	snprintf(path, size, "%s/%s", spool->path, name);
	return path;
}

int spool_open_file(const struct spool *spool, const char *name, int flags)
{
	char path[SEGMENT_PATH_MAX + 64];
	struct stat status;
	int fd;

	fd = openat(spool->fd, name_of(spool, name, path, sizeof(path)),
		    flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (look_at(fd, &status) && S_ISREG(status.st_mode) &&
	    status.st_uid == own_user() && status.st_nlink == 1)
		return fd;
	close(fd);
	return -EPERM;
}

int spool_create_file(const struct spool *spool, const char *name)
{
	char path[SEGMENT_PATH_MAX + 64];
	int fd;

	fd = openat(spool->fd, name_of(spool, name, path, sizeof(path)),
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

void spool_remove_file(const struct spool *spool, const char *name)
{
	char path[SEGMENT_PATH_MAX + 64];

	unlinkat(spool->fd, name_of(spool, name, path, sizeof(path)), 0);
}

void spool_abandon(const struct spool *spool)
{
	char parent[SEGMENT_PATH_MAX];
	char *slash;
	int fd;

	spool_remove_file(spool, SEGMENT_RUN_NAME);
	spool_remove_file(spool, SEGMENT_STATE_NAME);
	spool_remove_file(spool, SEGMENT_CONTROL_NAME);
	snprintf(parent, sizeof(parent), "%s", spool->path);
	slash = strrchr(parent, '/');
	*slash = '\0';
	fd = open_ours(parent);
	if (fd < 0)
		return;
	unlinkat(fd, slash + 1, AT_REMOVEDIR);
	close(fd);
	rmdir(parent); /* stays when another run is in it */
}
