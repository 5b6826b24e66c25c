/* SPDX-License-Identifier: MIT */
/*
 * Callers and callees of functions that have no partner, as far as they have one. Must
 * not be kept when functions were matched since: known neighbours become more.
 */
#pragma once

#include "analyzer/statistics/match/merge.h"

/* A caller or callee of the owner. other: twice the number of a function on both sides,
 * plus 1 when it is a caller; or one of those below. */
struct link {
	uint32_t owner, other;
};

enum link_other {
	LINK_CALLEE = UINT32_MAX - 4, /* some callee without a partner */
	LINK_CALLER,
	LINK_ITSELF, /* recursion */
};

static inline bool link_is_known(const struct link *link)
{
	return link->other < LINK_CALLEE;
}

struct links {
	struct link *list; /* by owner, then other */
	size_t count, capacity;
	uint32_t *first; /* of each function; one more for the end */
};

/* Owned by the caller. */
struct links links_new(const struct comparison *comparison);
void links_free(struct links *links);

/* How much two functions, before and after, have in common. share: of all neighbours of
 * either; those without partner may be each other's. */
struct alike {
	double share;
	bool has_any, has_callee; /* some known neighbour, some known callee in common */
};

struct alike links_compare(const struct links *links, uint32_t before, uint32_t after);
