/* SPDX-License-Identifier: MIT */
/*
 * How two functions of a comparison are told to be one, and how sure that is. Must not be
 * used by others than the files of this folder.
 */
#pragma once

#include "analyzer/statistics/compare.h"

#define MATCH_LINES_APART 20

/* Is it on this side only, without a partner so far? */
static inline bool match_is_left_over(const struct compare_function *function,
				      uint8_t side)
{
	return function->presence == side;
}

/* A name by which it could be known in another build, not an address. */
bool match_has_name(const struct compare_function *function);

/* Of the program itself or the same shared library, and of the same component. */
bool match_is_at_home(const struct compare_function *a, const struct compare_function *b);

/* The two become one: before, with the numbers of both and the name it has after. */
void match_merge(struct comparison *comparison, uint32_t before, uint32_t after,
		 enum compare_tier tier);

/* Marks what one name of the tiers up to COMPARE_BY_FAMILY still leaves on both sides. */
void match_note_uncertain(struct comparison *comparison);

/* Pairs of what is on one side each, of functions or sites. */
struct match_pair {
	uint32_t before, after;
	int32_t points; /* what speaks for it */
};

struct match_pairs {
	struct match_pair *list;
	size_t count, capacity;
};

void match_add_pair(struct match_pairs *pairs, uint32_t before, uint32_t after,
		    int32_t points);
