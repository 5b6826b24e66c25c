/* SPDX-License-Identifier: MIT */
/* Where the parts of the tool lie, and whose they are. */
#include "common/places/beside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/places/own_path.h"

static int is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       access(path, R_OK) == 0;
}

/* What stands in one place. 0, -ENOENT, or -EPERM with what is not believed in ret. */
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
