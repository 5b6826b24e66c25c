/* SPDX-License-Identifier: MIT */
/* --focus and --ignore: which functions and call paths are shown. */
#pragma once

#include "analyzer/model/calltree.h"

#include <regex.h>

/* Zeroed: lets everything pass. */
struct filter {
	regex_t focus, ignore;
	bool has_focus, has_ignore;
};

/* POSIX extended patterns, NULL for none. error: the reason, naming the option.
 * 0 or -EINVAL. */
int filter_init(struct filter *filter, const char *focus, const char *ignore, char *error,
		size_t error_size);
void filter_free(struct filter *filter);
bool filter_is_active(const struct filter *filter);

/* A function by itself: it matches focus and does not match ignore. */
bool filter_passes_name(const struct filter *filter, const char *name);

/* What a name says of the paths through it: one may pass when all its names together say
 * FILTER_FOCUSED and nothing else. */
enum filter_verdict { FILTER_FOCUSED = 1, FILTER_IGNORED = 2 };
unsigned char filter_judge(const struct filter *filter, const char *name);

/* One flag for each node of the tree, owned by caller: a function on its path matches
 * focus and none matches ignore. with_callers: also the callers of such paths. */
bool *filter_paths(const struct filter *filter, const struct calltree *tree,
		   bool with_callers);
