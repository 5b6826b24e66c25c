/* SPDX-License-Identifier: MIT */
/* A realpath() that checks on its way who could have made each part. */
#include "common/places.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define LINKS_FOLLOWED 40 /* as the kernel */

struct path_walk {
	uid_t owner;
	uid_t root_owner;
	int links;
	char done[PATH_MAX]; /* without links; "" is the root */
	char rest[PATH_MAX];
};

static bool others_can_write(const struct stat *status)
{
	if (status->st_mode & S_IWOTH)
		return true;
	return (status->st_mode & S_IWGRP) && status->st_gid != status->st_uid;
}

/* In a directory where everybody can make entries, a second link could be anybody's. */
static bool is_in_shared(struct path_walk *walk)
{
	char *slash = strrchr(walk->done, '/');
	struct stat status;
	int result;

	*slash = '\0';
	result = stat(*walk->done ? walk->done : "/", &status);
	*slash = '/';
	return result < 0 || others_can_write(&status);
}

static bool is_believed(struct path_walk *walk, const struct stat *status)
{
	bool is_directory = S_ISDIR(status->st_mode);

	if (status->st_uid != 0 && status->st_uid != walk->owner &&
	    !(is_directory && status->st_uid == walk->root_owner))
		return false;
	if (is_directory)
		return !others_can_write(status) || (status->st_mode & S_ISVTX);
	if (S_ISLNK(status->st_mode))
		return status->st_nlink == 1 || !is_in_shared(walk);
	return !others_can_write(status) && !is_in_shared(walk);
}

static void leave(struct path_walk *walk)
{
	char *slash = strrchr(walk->done, '/');

	if (slash)
		*slash = '\0';
}

/* Puts the link's target in front of the rest of the path. */
static int follow(struct path_walk *walk)
{
	char target[PATH_MAX];
	size_t length = strlen(walk->rest);
	ssize_t got = readlink(walk->done, target, sizeof(target) - 1);

	if (got < 0)
		return -errno;
	if (++walk->links > LINKS_FOLLOWED)
		return -ELOOP;
	if ((size_t)got + 1 + length >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	memmove(walk->rest + got + 1, walk->rest, length + 1);
	memcpy(walk->rest, target, (size_t)got);
	walk->rest[got] = '/';
	if (target[0] == '/')
		walk->done[0] = '\0';
	else
		leave(walk);
	return 0;
}

static int enter(struct path_walk *walk, const char *name, size_t length)
{
	size_t done = strlen(walk->done);
	struct stat status;

	if (done + 1 + length >= sizeof(walk->done))
		return -ENAMETOOLONG;
	walk->done[done] = '/';
	memcpy(walk->done + done + 1, name, length);
	walk->done[done + 1 + length] = '\0';
	if (lstat(walk->done, &status) < 0)
		return -errno;
	if (!is_believed(walk, &status))
		return -EPERM;
	return S_ISLNK(status.st_mode) ? follow(walk) : 0;
}

static int step(struct path_walk *walk)
{
	char name[NAME_MAX + 1];
	size_t skipped = strspn(walk->rest, "/");
	size_t length = strcspn(walk->rest + skipped, "/");

	if (length >= sizeof(name))
		return -ENAMETOOLONG;
	memcpy(name, walk->rest + skipped, length);
	name[length] = '\0';
	memmove(walk->rest, walk->rest + skipped + length,
		strlen(walk->rest + skipped + length) + 1);
	if (!length || strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		leave(walk);
		return 0;
	}
	return enter(walk, name, length);
}

static int start(struct path_walk *walk, const char *path)
{
	char directory[PATH_MAX] = "";
	struct stat root;

	if (path[0] != '/' && !getcwd(directory, sizeof(directory)))
		return -errno;
	if (snprintf(walk->rest, sizeof(walk->rest), "%s/%s", directory, path) >=
	    (int)sizeof(walk->rest))
		return -ENAMETOOLONG;
	if (stat("/", &root) < 0)
		return -errno;
	walk->root_owner = root.st_uid;
	return is_believed(walk, &root) ? 0 : -EPERM;
}

int own_path_find(const char *path, uid_t owner, char *ret, size_t size)
{
	struct path_walk walk = {.owner = owner};
	int result = start(&walk, path);

	while (result == 0 && walk.rest[0])
		result = step(&walk);
	if (result < 0 && result != -EPERM)
		return result;
	if (snprintf(ret, size, "%s", walk.done[0] ? walk.done : "/") >= (int)size)
		return -ENAMETOOLONG;
	return result;
}

/*
 * Finds the other parts of the tool relative to this one. Runs on: the programs, and the
 * constructor of the traced program. Must not allocate, or accept what somebody else may
 * have put there.
 */

static int is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       access(path, R_OK) == 0;
}

/* Checks one place. 0; -ENOENT; or -EPERM with what is not trusted in ret. */
static int look(const char *self, uid_t owner, const char *place, char *ret, size_t size)
{
	const char *slash = strrchr(self, '/');
	int length = slash && place[0] != '/' ? (int)(slash - self) + 1 : 0;
	char path[PATH_MAX];
	int result;

	if ((place[0] != '/' && !slash) ||
	    snprintf(path, sizeof(path), "%.*s%s", length, self, place) >= PATH_MAX ||
	    !is_file(path))
		return -ENOENT;
	result = own_path_find(path, owner, ret, size);
	return result == 0 || result == -EPERM ? result : -ENOENT;
}

static int find(const char *self, uid_t owner, const char *const *places, size_t count,
		char *ret, size_t size)
{
	char refused[PATH_MAX] = "";
	int result = -ENOENT;

	for (size_t i = 0; i < count && result < 0; i++) {
		result = look(self, owner, places[i], ret, size);
		if (result == -EPERM && !refused[0])
			snprintf(refused, sizeof(refused), "%s", ret);
	}
	if (result == 0 || !refused[0])
		return result;
	snprintf(ret, size, "%s", refused);
	return -EPERM;
}

int beside_find(const char *self, const char *const *places, size_t count, char *ret,
		size_t size)
{
	struct stat status;

	/* root's if our owner is unknown */
	return find(self, stat(self, &status) == 0 ? status.st_uid : 0, places, count,
		    ret, size);
}

int beside_find_for_program(const char *const *places, size_t count, char *ret,
			    size_t size)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct stat status;

	self[length > 0 ? length : 0] = '\0';
	/* by the link: our name may belong to another file by now */
	return find(self, stat("/proc/self/exe", &status) == 0 ? status.st_uid : 0,
		    places, count, ret, size);
}
