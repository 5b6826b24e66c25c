/* SPDX-License-Identifier: MIT */
/*
 * Where prof-analyze is, and what its exit status means. Runs on: profshim-collect,
 * prof-record. Must not start one from PATH: it could be of another version.
 */
#include "collector/analyze.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "prof-analyze"
#define STATUS_NOTHING 4 /* common/base/status.h: nothing was measured */

int analyze_find(char *ret)
{
	static const char *const places[] = {
		"",		/* beside prof-record */
		"/../analyzer", /* built tree: record/ or collector/ to analyzer/ */
		PROFSHIM_LIBEXEC_TO_BIN, /* profshim-collect, wherever the tree is */
	};
	char self[PATH_MAX], *slash;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length > 0 ? length : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		int written = snprintf(ret, PATH_MAX, "%.*s%s/" NAME, (int)(slash - self),
				       self, places[i]);

		if (written > 0 && written < PATH_MAX && access(ret, X_OK) == 0)
			return 0;
	}
	snprintf(ret, PATH_MAX, "%s/" NAME, PROFSHIM_BIN_DIR);
	return access(ret, X_OK) == 0 ? 0 : -ENOENT;
}

bool analyze_has_written(int wait_status)
{
	return WIFEXITED(wait_status) && (WEXITSTATUS(wait_status) == 0 ||
					  WEXITSTATUS(wait_status) == STATUS_NOTHING);
}
