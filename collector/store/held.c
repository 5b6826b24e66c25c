/* SPDX-License-Identifier: MIT */
/*
 * Finds a database by its held directory, and checks what is allowed there. Must not look
 * a path up a second time.
 */
#include "collector/store/held.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELD_PREFIX "//held/"
#define VFS_NAME "profshim-held"

static char refusal[512];

const char *held_refusal(void)
{
	return refusal;
}

/* The path by which SQLite opens `name` in the file's directory. */
static void held_path(const struct held_file *file, const char *name, char *ret,
		      size_t size)
{
	snprintf(ret, size, HELD_PREFIX "%c%d/%s", file->use == HELD_READ ? 'r' : 'w',
		 file->directory_fd, name);
}

/* Returns the name in the directory, or NULL when the path is not one of ours. */
static const char *parse(const char *path, enum held_use *ret_use, int *ret_fd)
{
	size_t length = strlen(HELD_PREFIX);
	char *end;

	if (strncmp(path, HELD_PREFIX, length) != 0)
		return NULL;
	*ret_use = path[length] == 'w' ? HELD_WRITE : HELD_READ;
	*ret_fd = (int)strtol(path + length + 1, &end, 10);
	return *end == '/' ? end + 1 : NULL;
}

static void owner_name(uid_t uid, char *ret, size_t size)
{
	const struct passwd *entry = getpwuid(uid);

	if (entry)
		snprintf(ret, size, "%.60s", entry->pw_name);
	else
		snprintf(ret, size, "user %u", (unsigned)uid);
}

/* 0, or -EACCES with a reason to follow the file's name in a sentence. */
static int held_check(const struct stat *status, enum held_use use, char *reason,
		      size_t size)
{
	char owner[80], self[80];

	if (!S_ISREG(status->st_mode)) {
		snprintf(reason, size, "is not a file");
		return -EACCES;
	}
	if (use == HELD_READ)
		return 0;
	if (status->st_uid != geteuid()) {
		owner_name(status->st_uid, owner, sizeof(owner));
		owner_name(geteuid(), self, sizeof(self));
		snprintf(reason, size,
			 "belongs to %s, not to %s; nothing is written into files of "
			 "others",
			 owner, self);
		return -EACCES;
	}
	if (status->st_nlink != 1) {
		snprintf(reason, size,
			 "has %lu names (hard links), so it may be another file than it "
			 "seems; copy it",
			 (unsigned long)status->st_nlink);
		return -EACCES;
	}
	return 0;
}

static int open_file(const char *path, int flags, int mode)
{
	enum held_use use;
	struct stat status;
	char reason[256];
	int directory, fd;
	const char *name = parse(path, &use, &directory);

	if (!name)
		return open(path, flags, mode);
	if (use == HELD_READ)
		flags &= ~(O_CREAT | O_EXCL);
	/* without O_NONBLOCK we would wait for a FIFO's writer */
	fd = openat(directory, name,
		    flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
	if (fd < 0) {
		if (errno == ELOOP)
			snprintf(refusal, sizeof(refusal), "%s is a symbolic link", name);
		return fd;
	}
	if (fstat(fd, &status) < 0 ||
	    held_check(&status, use, reason, sizeof(reason)) < 0) {
		snprintf(refusal, sizeof(refusal), "%s %s", name, reason);
		close(fd);
		errno = EACCES;
		return -1;
	}
	return fd;
}

static int access_file(const char *path, int mode)
{
	enum held_use use;
	int directory;
	const char *name = parse(path, &use, &directory);

	return name ? faccessat(directory, name, mode, AT_EACCESS) : access(path, mode);
}

static int stat_file(const char *path, struct stat *status)
{
	enum held_use use;
	int directory;
	const char *name = parse(path, &use, &directory);

	return name ? fstatat(directory, name, status, AT_SYMLINK_NOFOLLOW)
		    : stat(path, status);
}

static int unlink_file(const char *path)
{
	enum held_use use;
	int directory;
	const char *name = parse(path, &use, &directory);

	return name ? unlinkat(directory, name, 0) : unlink(path);
}

/* Replaces SQLite's fchown(). As root, SQLite gives a journal that it finds to the
 * database's owner, so another user's would be trusted from then on. Those that we make
 * have the right owner. */
static int change_no_owner(int fd, uid_t owner, gid_t group)
{
	(void)fd, (void)owner, (void)group;
	return 0;
}

static int (*usual_open_directory)(const char *, int *);

/* Opens the directory of a file. SQLite passes the file's path. */
static int open_parent(const char *path, int *ret)
{
	enum held_use use;
	int directory;

	if (!parse(path, &use, &directory))
		return usual_open_directory(path, ret);
	*ret = fcntl(directory, F_DUPFD_CLOEXEC, 3);
	return *ret < 0 ? SQLITE_CANTOPEN : SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *path, int size, char *ret)
{
	(void)vfs;
	if ((size_t)snprintf(ret, (size_t)size, "%s", path) >= (size_t)size)
		return SQLITE_CANTOPEN;
	return SQLITE_OK;
}

/* SQLite declares all replaceable calls as functions without arguments. */
#define REPLACE(vfs, name, function)                                                     \
	(vfs)->xSetSystemCall(vfs, name, (sqlite3_syscall_ptr)(function))

static int make_vfs(void)
{
	static sqlite3_vfs held;
	sqlite3_vfs *unix_vfs = sqlite3_vfs_find("unix");

	if (held.zName)
		return SQLITE_OK;
	if (!unix_vfs || unix_vfs->iVersion < 3)
		return SQLITE_ERROR;
	usual_open_directory = (int (*)(const char *, int *))unix_vfs->xGetSystemCall(
		unix_vfs, "openDirectory");
	REPLACE(unix_vfs, "open", open_file);
	REPLACE(unix_vfs, "access", access_file);
	REPLACE(unix_vfs, "stat", stat_file);
	REPLACE(unix_vfs, "unlink", unlink_file);
	REPLACE(unix_vfs, "fchown", change_no_owner);
	REPLACE(unix_vfs, "openDirectory", open_parent);
	held = *unix_vfs;
	held.pNext = NULL;
	held.zName = VFS_NAME;
	held.xFullPathname = full_path;
	return sqlite3_vfs_register(&held, 0);
}

static int held_calls_open(const char *path, int flags, struct sqlite3 **ret)
{
	int code = make_vfs();

	*ret = NULL;
	*refusal = 0;
	/* a connection belongs to one thread; SQLite's locks took a tenth of storing */
	return code == SQLITE_OK
		       ? sqlite3_open_v2(path, ret, flags | SQLITE_OPEN_NOMUTEX, VFS_NAME)
		       : code;
}

#define LINKS_FOLLOWED 8

static int open_directory(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* a directory may be searched and written without being readable */
	if (fd < 0 && errno == EACCES)
		fd = openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Opens the directory of path (relative to at) and copies the last name. */
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

/* Is the directory safe: can nobody else move a link of ours there, or replace it? */
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

/* Moves on from the link to its target's directory and name. */
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
