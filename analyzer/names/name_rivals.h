/* SPDX-License-Identifier: MIT */
/* Finds other names that a shortened text fits. The work is counted, so that callers can
 * stop. */
#pragma once

#include "common/names/short_name.h"

#include <stdbool.h>
#include <stddef.h>

/* Zeroed: none. */
struct name_rivals {
	struct rival *list; /* sorted on first use */
	size_t count;
	bool is_sorted;
	unsigned long long spent; /* bytes of names compared */
};

void name_rivals_add(struct name_rivals *rivals, const char *name);
void name_rivals_free(struct name_rivals *rivals);

/* Whether the comparisons took so much that they must end. */
bool name_rivals_is_tired(const struct name_rivals *rivals);

/* Finds other names that the text fits. Writes the first `most` into ret (NULL is allowed
 * for 0); returns how many there are, at most `most` + 1. */
size_t name_rivals_find(struct name_rivals *rivals, const char *text, const char *name,
			const char **ret, size_t most);
