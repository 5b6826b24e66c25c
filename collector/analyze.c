/* SPDX-License-Identifier: MIT */
/*
 * Finds prof-analyze and interprets its exit status. Runs on: profshim-collect,
 * prof-record. Must not start one from PATH: it could be of another version.
 */
#include "collector/analyze.h"

#include <limits.h>
#include <sys/wait.h>

#include "common/places.h"

#define NAME "prof-analyze"
#define STATUS_NOTHING 4 /* common/base/options.h: nothing was measured */

int analyze_find(char *ret)
{
	static const char *const places[] = {
		NAME,		     /* beside prof-record */
		"../analyzer/" NAME, /* built tree: record/ or collector/ to analyzer/ */
		/* from profshim-collect, wherever the tree is */
		PROFSHIM_LIBEXEC_TO_BIN "/" NAME,
		PROFSHIM_BIN_DIR "/" NAME,
	};

	return beside_find_for_program(places, sizeof(places) / sizeof(places[0]), ret,
				       PATH_MAX);
}

bool analyze_has_written(int wait_status)
{
	return WIFEXITED(wait_status) && (WEXITSTATUS(wait_status) == 0 ||
					  WEXITSTATUS(wait_status) == STATUS_NOTHING);
}
