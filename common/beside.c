/* SPDX-License-Identifier: MIT */
/* Where the parts of the tool lie, and whose they are. */
#include "common/beside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_believed(const char *path, uid_t owner)
{
	struct stat status;

	if (stat(path, &status) < 0 || (status.st_uid != 0 && status.st_uid != owner))
		return 0;
	if (status.st_mode & S_IWOTH)
		return 0;
	return !(status.st_mode & S_IWGRP) || status.st_gid == status.st_uid;
}

static int is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       access(path, R_OK) == 0;
}

/* The file and its directory. */
static int are_believed(char *path, uid_t owner)
{
	char *slash = strrchr(path, '/');
	int result;

	if (!is_file(path) || !is_believed(path, owner))
		return 0;
	*slash = '\0';
	result = is_believed(*path ? path : "/", owner);
	*slash = '/';
	return result;
}

static int find(const char *self, uid_t owner, const char *const *places, size_t count,
		char *ret, size_t size)
{
	const char *slash = strrchr(self, '/');
	int length = slash ? (int)(slash - self) : 0;
	char path[PATH_MAX], real[PATH_MAX];

	for (size_t i = 0; i < count; i++) {
		int is_absolute = places[i][0] == '/';

		if (!is_absolute && !slash)
			continue;
		if (snprintf(path, sizeof(path), "%.*s%s%s", is_absolute ? 0 : length,
			     self, is_absolute ? "" : "/", places[i]) >= PATH_MAX ||
		    !realpath(path, real) || strlen(real) >= size ||
		    !are_believed(real, owner))
			continue;
		strcpy(ret, real);
		return 0;
	}
	return -ENOENT;
}

int beside_find(const char *self, const char *const *places, size_t count, char *ret,
		size_t size)
{
	struct stat status;

	/* root's, when it is not known whose we are */
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
	/* by the link: our name may be another file's by now */
	return find(self, stat("/proc/self/exe", &status) == 0 ? status.st_uid : 0,
		    places, count, ret, size);
}
