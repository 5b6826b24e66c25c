/* SPDX-License-Identifier: MIT */
/*
 * What programs show that have one metric in a picture: the time of each thread, and
 * every other metric of all threads together. A view without anything in it is none.
 */
#pragma once

#include "analyzer/tree/profile.h"

#include "common/base/strbuf.h"

#define VIEW_ALL (PROFILE_NONE - 1) /* in place of a lane */

struct view {
	enum profile_metric metric;
	uint32_t lane; /* PROFILE_NONE: what no lane has */
};

/* Owned by caller. */
struct view *views_of(const struct profile *profile, size_t *ret_count);
/* What a sample has in the view; 0 of a damaged, negative number. */
int64_t view_amount(const struct view *view, const struct profile_sample *sample);
/* Appends "time: main (123)" or "allocations". */
void view_name(const struct profile *profile, const struct view *view,
	       struct strbuf *text);
