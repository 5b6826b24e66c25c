/* SPDX-License-Identifier: MIT */
/*
 * Which function or allocation site of one build corresponds to which of another. Must
 * not use addresses, or guess: an ambiguous subject has no partner.
 */
#pragma once

#include "analyzer/statistics/compare.h"

/* Matches functions of one side only by name: they may have moved to another file or
 * module. Call it when all functions and no paths have been added. */
void match_functions(struct comparison *comparison);

/* Joins two functions: `before` gets both their numbers and the name of after. */
void match_merge(struct comparison *comparison, uint32_t before, uint32_t after);

/* Matches allocation sites whose lines have moved: on one call path the nearest, at most
 * 20 lines away relative to the function. */
void match_sites(struct comparison *comparison);
