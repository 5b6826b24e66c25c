/* SPDX-License-Identifier: MIT */
/* Which other names a shortened text fits. Must not be asked without end: what it takes
 * is counted. */
#pragma once

#include "common/names/short_name.h"

#include <stdbool.h>
#include <stddef.h>

/* Zeroed: none. */
struct name_rivals {
	struct rival *list; /* sorted, once asked */
	size_t count;
	bool is_sorted;
	unsigned long long spent; /* bytes of names compared */
};

void name_rivals_add(struct name_rivals *rivals, const char *name);
void name_rivals_free(struct name_rivals *rivals);

/* Has so much been compared that it has to come to an end? */
bool name_rivals_is_tired(const struct name_rivals *rivals);

/* Names other than this one that the text fits: the first `most` of them into ret, which
 * may be NULL for 0; returns how many there are, at most `most` + 1. */
size_t name_rivals_find(struct name_rivals *rivals, const char *text, const char *name,
			const char **ret, size_t most);
