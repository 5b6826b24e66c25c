/* SPDX-License-Identifier: MIT */
/*
 * Which function and which allocation site of one build is which of another. Must not use
 * addresses, or guess: what could be several is none of them.
 */
#pragma once

#include "analyzer/statistics/compare.h"

/* Finds partners by name for functions that are on one side only: they may be in another
 * file or module now. To be called when all functions are there and no path is yet. */
void match_functions(struct comparison *comparison);

/* The two become one: before, with the numbers of both and the name it has after. */
void match_merge(struct comparison *comparison, uint32_t before, uint32_t after);

/* Finds partners for allocation sites whose lines have moved: in one call path the
 * nearest, at most 20 lines away from where it was in its function. */
void match_sites(struct comparison *comparison);
