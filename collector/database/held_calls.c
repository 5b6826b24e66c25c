/* SPDX-License-Identifier: MIT */
/*
 * The system calls of SQLite's "unix" VFS, for names of held directories. Runs on:
 * inside SQLite; one thread at a time. Must not change what happens to any other name.
 *
 * A name is HELD_PREFIX, r or w (enum held_use), the number of the directory's
 * descriptor, and the file's name in it: //held/w7/run.db-journal. SQLite makes the
 * names of journals from that of the database, so they are treated alike.
 */
#include "collector/database/held_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sqlite3.h>
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

void held_path(const struct held_file *file, const char *name, char *ret, size_t size)
{
	snprintf(ret, size, HELD_PREFIX "%c%d/%s", file->use == HELD_READ ? 'r' : 'w',
		 file->directory_fd, name);
}

/* Returns the name in the directory, or NULL: not one of ours. */
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

int held_check(const struct stat *status, enum held_use use, char *reason, size_t size)
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
	/* a FIFO would keep us waiting for who writes to it */
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

/* As root SQLite gives the journal that it finds to the database's owner: another's would
 * be believed from then on. Those that we make have the right owner. */
static int change_no_owner(int fd, uid_t owner, gid_t group)
{
	(void)fd, (void)owner, (void)group;
	return 0;
}

static int (*usual_open_directory)(const char *, int *);

/* SQLite gives the name of a file in it. */
static int open_directory(const char *path, int *ret)
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

/* SQLite declares all replaced calls as functions without arguments. */
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
	REPLACE(unix_vfs, "openDirectory", open_directory);
	held = *unix_vfs;
	held.pNext = NULL;
	held.zName = VFS_NAME;
	held.xFullPathname = full_path;
	return sqlite3_vfs_register(&held, 0);
}

int held_calls_open(const char *path, int flags, struct sqlite3 **ret)
{
	int code = make_vfs();

	*ret = NULL;
	*refusal = 0;
	/* a connection belongs to one thread: SQLite's locks were a tenth of storing */
	return code == SQLITE_OK
		       ? sqlite3_open_v2(path, ret, flags | SQLITE_OPEN_NOMUTEX, VFS_NAME)
		       : code;
}
