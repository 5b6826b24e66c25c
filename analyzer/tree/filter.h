/* SPDX-License-Identifier: MIT */
/*
 * --focus and --ignore: which functions and call paths are shown. A text is a regular
 * expression. It also means the functions that have it as name, so that printed names
 * need not be escaped.
 */
#pragma once

#include "common/base/map.h"
#include "analyzer/tree/calltree.h"

#include <regex.h>

/* One of the two options. names: the functions whose name the text is. */
struct filter_side {
	const char *text; /* borrowed; NULL: not given */
	regex_t regex;
	bool has_regex, matches_some;
	struct intern names;
	char trouble[320]; /* why the text is no valid regular expression */
};

/* Zeroed: lets everything pass. */
struct filter {
	struct filter_side focus, ignore;
};

/* POSIX extended patterns, or names, NULL for none; borrowed. */
void filter_init(struct filter *filter, const char *focus, const char *ignore);
bool filter_is_active(const struct filter *filter);

/* Tells the filter of a function. Must be called for all functions before the filter is
 * used. full_name, linkage_name: NULL when not known. */
void filter_learn(struct filter *filter, const char *name, const char *full_name,
		  const char *linkage_name);
/* Checks both texts. -EINVAL if one is neither a regular expression nor a name; error
 * then gets a sentence that names the option. */
int filter_check(const struct filter *filter, char *error, size_t error_size);

/* Tells the filter that the text names something else than a function: a lock, a step. */
void filter_found(struct filter *filter);

/* Judges a function by itself: it must match focus and not match ignore. */
bool filter_passes_name(const struct filter *filter, const char *name);

/* What a name means for the paths through it. A path passes if the verdicts of all its
 * names together are FILTER_FOCUSED and nothing else. */
enum filter_verdict { FILTER_FOCUSED = 1, FILTER_IGNORED = 2 };
unsigned char filter_judge(const struct filter *filter, const char *name);

/* A flag for each node, owned by caller: some function on its path matches focus and none
 * matches ignore. with_callers: also set for the callers of such paths. */
bool *filter_paths(const struct filter *filter, const struct calltree *tree,
		   bool with_callers);
