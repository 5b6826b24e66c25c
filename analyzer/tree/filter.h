/* SPDX-License-Identifier: MIT */
/*
 * --focus and --ignore: which functions and call paths are shown. A text is a regular
 * expression, and means, too, the functions that it is a name of: what was printed need
 * not be escaped.
 */
#pragma once

#include "common/base/intern.h"
#include "analyzer/tree/calltree.h"

#include <regex.h>

/* One of the two. names: functions that the text is a name of. */
struct filter_side {
	const char *text; /* borrowed; NULL: not given */
	regex_t regex;
	bool has_regex, matches_some;
	struct intern names;
	char trouble[320]; /* why it is no regular expression */
};

/* Zeroed: lets everything pass. */
struct filter {
	struct filter_side focus, ignore;
};

/* POSIX extended patterns, or names, NULL for none; borrowed. */
void filter_init(struct filter *filter, const char *focus, const char *ignore);
void filter_free(struct filter *filter);
bool filter_is_active(const struct filter *filter);

/* Tells of a function that there is; to be called for all, before the filter is used.
 * full_name, linkage_name: NULL when not known. */
void filter_learn(struct filter *filter, const char *name, const char *full_name,
		  const char *linkage_name);
/* Is a text neither a regular expression nor a name? error: one sentence, naming the
 * option. 0 or -EINVAL. */
int filter_check(const struct filter *filter, char *error, size_t error_size);

/* Something else than a function has such a name: a lock, a step. */
void filter_found(struct filter *filter);

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
