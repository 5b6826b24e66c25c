/* SPDX-License-Identifier: MIT */
/*
 * Finding a database by its held directory, and what is allowed there. Must not look a
 * path up a second time.
 */
#include "collector/database/held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/database/held_calls.h"

#define LINKS_FOLLOWED 8

static int open_directory(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* a directory may be searched and written without being readable */
	if (fd < 0 && errno == EACCES)
		fd = openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Opens the directory of path (seen from at) and copies the last name. */
static int enter(int at, const char *path, char name[256])
{
	char directory[4096];
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = slash ? (size_t)(slash - path) + 1 : 0;

	if (strlen(base) >= 256 || length >= sizeof(directory))
		return -ENAMETOOLONG;
	if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
		return -EISDIR;
	snprintf(directory, sizeof(directory), "%.*s", (int)length, path);
	snprintf(name, 256, "%s", base);
	return open_directory(at, length ? directory : ".");
}

/* Can nobody else put a link of ours there, or put something in its place? */
static int is_directory_ours(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || (status.st_uid != geteuid() && status.st_uid != 0))
		return 0;
	return !(status.st_mode & (S_IWGRP | S_IWOTH)) || (status.st_mode & S_ISVTX);
}

static int may_follow(const struct held_file *file, const struct stat *link)
{
	return file->use == HELD_READ ||
	       (link->st_uid == geteuid() && is_directory_ours(file->directory_fd));
}

/* From the link to its target's directory and name. */
static int follow(struct held_file *file, char *error, size_t error_size)
{
	char target[4096];
	ssize_t length =
		readlinkat(file->directory_fd, file->name, target, sizeof(target) - 1);
	int next;

	if (length < 0)
		return -errno;
	target[length] = 0;
	next = enter(file->directory_fd, target, file->name);
	if (next < 0) {
		snprintf(error, error_size, "%s leads to %s: %s", file->shown, target,
			 strerror(-next));
		return next;
	}
	close(file->directory_fd);
	file->directory_fd = next;
	return 0;
}

/* 1: a link was followed, 0: a file, -ENOENT: nothing there, -errno with a sentence. */
static int look(struct held_file *file, char *error, size_t error_size)
{
	struct stat status;
	char reason[256];

	if (fstatat(file->directory_fd, file->name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			snprintf(error, error_size, "cannot look at %s: %s", file->shown,
				 strerror(errno));
		return -errno;
	}
	if (S_ISLNK(status.st_mode)) {
		int result;

		if (!may_follow(file, &status)) {
			snprintf(error, error_size,
				 "%s is a symbolic link that others could have made; "
				 "remove it or name the file itself",
				 file->shown);
			return -ELOOP;
		}
		result = follow(file, error, error_size);
		return result < 0 ? result : 1;
	}
	if (held_check(&status, file->use, reason, sizeof(reason)) < 0) {
		snprintf(error, error_size, "%s %s", file->shown, reason);
		return S_ISREG(status.st_mode) ? -EACCES : -EINVAL;
	}
	return 0;
}

int held_find(const char *path, enum held_use use, struct held_file *ret, char *error,
	      size_t error_size)
{
	int result;

	*ret = (struct held_file){.use = use};
	snprintf(ret->shown, sizeof(ret->shown), "%s", path);
	ret->directory_fd = enter(AT_FDCWD, path, ret->name);
	if (ret->directory_fd == -EISDIR) {
		snprintf(error, error_size, "%s is not a file", path);
		return -EINVAL;
	}
	if (ret->directory_fd < 0) {
		result = ret->directory_fd;
		snprintf(error, error_size,
			 "cannot open %s for %s: %s; is its directory there and "
			 "writable?",
			 path, use == HELD_READ ? "reading" : "writing",
			 strerror(-result));
		ret->directory_fd = -1;
		return -EACCES;
	}
	for (int links = 0; (result = look(ret, error, error_size)) == 1; links++) {
		if (links == LINKS_FOLLOWED) {
			snprintf(error, error_size, "%s: %s", path, strerror(ELOOP));
			result = -ELOOP;
			break;
		}
	}
	if (result < 0 && result != -ENOENT)
		held_done(ret);
	return result;
}

void held_done(struct held_file *file)
{
	if (file->directory_fd >= 0)
		close(file->directory_fd);
	file->directory_fd = -1;
}

int held_connect(const struct held_file *file, const char *name, int flags,
		 struct sqlite3 **ret)
{
	char path[300];

	held_path(file, name ? name : file->name, path, sizeof(path));
	return held_calls_open(path, flags, ret);
}
