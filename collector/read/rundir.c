/* SPDX-License-Identifier: MIT */
/*
 * Opens, locks and removes a run's directory without trusting where its path leads. Must
 * not follow a symbolic link, touch another user's files, or look a path up twice.
 */
#include "collector/read/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void rundir_name_owner(uid_t owner, char *text, size_t size)
{
	struct passwd entry, *found = NULL;
	char room[1024];

	if (getpwuid_r(owner, &entry, room, sizeof(room), &found) != 0 || !found)
		snprintf(text, size, "user %u", owner);
	else
		snprintf(text, size, "user %s (%u)", found->pw_name, owner);
}

int rundir_open_directory(int at, const char *name, uid_t *ret_owner)
{
	struct stat status;
	int fd = openat(at, name, OPEN_DIRECTORY);

	*ret_owner = geteuid();
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0)
		status = (struct stat){.st_uid = (uid_t)-1};
	*ret_owner = status.st_uid;
	if (status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	close(fd);
	return -EPERM;
}

static int refuse(const struct rundir *rundir, int result, char *error, size_t error_size)
{
	char owner[96];

	rundir_name_owner(rundir->owner, owner, sizeof(owner));
	if (result == -EPERM && rundir->owner != geteuid())
		snprintf(error, error_size,
			 "%s belongs to %s, who alone can have the run stored",
			 rundir->path, owner);
	else if (result == -EPERM)
		snprintf(error, error_size,
			 "others can write into %s, so nothing in it is believed",
			 rundir->path);
	else
		snprintf(error, error_size, "cannot open the spool %s: %s", rundir->path,
			 strerror(-result));
	return result;
}

int rundir_open(struct rundir *ret, const char *path, char *error, size_t error_size)
{
	struct rundir opened = RUNDIR_NONE;
	char *slash;

	*ret = RUNDIR_NONE;
	if ((size_t)snprintf(ret->path, sizeof(ret->path), "%s", path) >=
	    sizeof(ret->path))
		return refuse(ret, -ENAMETOOLONG, error, error_size);
	slash = strrchr(ret->path, '/');
	if (!slash || slash == ret->path || !slash[1])
		return refuse(ret, -EINVAL, error, error_size);
	*slash = '\0';
	opened.spool_fd = rundir_open_directory(AT_FDCWD, ret->path, &ret->owner);
	*slash = '/';
	if (opened.spool_fd < 0)
		return refuse(ret, opened.spool_fd, error, error_size);
	opened.fd = rundir_open_directory(opened.spool_fd, slash + 1, &ret->owner);
	if (opened.fd < 0) {
		close(opened.spool_fd);
		return refuse(ret, opened.fd, error, error_size);
	}
	ret->fd = opened.fd;
	ret->spool_fd = opened.spool_fd;
	return 0;
}

void rundir_close(struct rundir *rundir)
{
	if (rundir->fd >= 0)
		close(rundir->fd);
	if (rundir->spool_fd >= 0)
		close(rundir->spool_fd);
	rundir->fd = rundir->spool_fd = -1;
}

int rundir_open_file(int directory_fd, const char *name, int flags)
{
	int fd = openat(directory_fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status = {.st_nlink = 0}, directory;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0 && fstat(directory_fd, &directory) == 0 &&
	    S_ISREG(status.st_mode) && status.st_uid == directory.st_uid &&
	    status.st_nlink == 1)
		return fd;
	close(fd);
	return status.st_nlink == 0 ? -ENOENT : -EPERM; /* removed meanwhile */
}

int rundir_create_file(int directory_fd, const char *name)
{
	int fd;

	unlinkat(directory_fd, name, 0);
	fd = openat(directory_fd, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* The name of the run's directory in rundir->path. */
static const char *token_of(const struct rundir *rundir)
{
	return strrchr(rundir->path, '/') + 1;
}

int rundir_lock(const struct rundir *rundir)
{
	struct stat status;
	int fd, result;

	/* no lock file: there may be no room for one */
	fd = rundir_open_file(rundir->fd, SEGMENT_RUN_NAME, O_RDWR);
	if (fd < 0)
		return fd == -ENOENT ? -EAGAIN : fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		result = errno == EWOULDBLOCK ? -EAGAIN : -errno;
		close(fd);
		return result;
	}
	/* the previous holder may have removed everything */
	if (fstat(fd, &status) < 0 || status.st_nlink == 0) {
		close(fd);
		return -EAGAIN;
	}
	return fd;
}

int rundir_is_removed(const char *name)
{
	return strncmp(name, RUNDIR_REMOVED, strlen(RUNDIR_REMOVED)) == 0;
}

/* Is the directory with this name still the one that was opened? */
static int is_at(int at, const char *name, int fd)
{
	struct stat there, held;

	return fstatat(at, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       fstat(fd, &held) == 0 && there.st_ino == held.st_ino &&
	       there.st_dev == held.st_dev;
}

/* Fails while there are other runs. */
static void remove_spool(const struct rundir *rundir)
{
	int parent = openat(rundir->spool_fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char spool[SEGMENT_PATH_MAX], *slash;
	const char *name;

	if (parent < 0)
		return;
	snprintf(spool, sizeof(spool), "%s", rundir->path);
	*strrchr(spool, '/') = '\0';
	slash = strrchr(spool, '/');
	name = slash ? slash + 1 : spool;
	if (is_at(parent, name, rundir->spool_fd))
		unlinkat(parent, name, AT_REMOVEDIR);
	close(parent);
}

/* The facts go first: without them nobody takes the directory for a run. */
static int remove_files(int directory_fd)
{
	int fd = openat(directory_fd, ".", OPEN_DIRECTORY);
	DIR *files = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!files) {
		int result = -errno;

		if (fd >= 0)
			close(fd);
		return result;
	}
	unlinkat(directory_fd, SEGMENT_RUN_NAME, 0);
	while ((entry = readdir(files))) {
		if (entry->d_name[0] != '.')
			unlinkat(directory_fd, entry->d_name, 0);
	}
	closedir(files);
	return 0;
}

int rundir_remove(const struct rundir *rundir)
{
	const char *name = token_of(rundir);
	char removed[SEGMENT_PATH_MAX];
	int result;

	snprintf(removed, sizeof(removed), RUNDIR_REMOVED "%s", name);
	if (!rundir_is_removed(name) && is_at(rundir->spool_fd, name, rundir->fd) &&
	    renameat(rundir->spool_fd, name, rundir->spool_fd, removed) == 0)
		name = removed;
	result = remove_files(rundir->fd);
	if (result < 0)
		return result;
	if (!is_at(rundir->spool_fd, name, rundir->fd))
		return -ENOENT;
	if (unlinkat(rundir->spool_fd, name, AT_REMOVEDIR) < 0)
		return -errno;
	remove_spool(rundir);
	return 0;
}

int rundir_renew(struct rundir *rundir)
{
	struct rundir renewed;
	char error[256], *slash = strrchr(rundir->path, '/');
	int result, made;

	*slash = '\0';
	made = mkdir(rundir->path, 0700) == 0 || errno == EEXIST;
	*slash = '/';
	if (!made)
		return -errno;
	made = mkdir(rundir->path, 0700) == 0 || errno == EEXIST;
	if (!made)
		return -errno;
	result = rundir_open(&renewed, rundir->path, error, sizeof(error));
	if (result < 0)
		return result;
	rundir_close(rundir);
	*rundir = renewed;
	return 0;
}
