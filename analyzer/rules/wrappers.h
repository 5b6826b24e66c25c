/* SPDX-License-Identifier: MIT */
/*
 * Functions that do nothing but hand out memory, such as xmalloc(): who has their blocks
 * is who calls them. Must not take for one what builds an object of its own, always of
 * one size.
 */
#pragma once

#include "analyzer/rules/rule.h"

struct memory_wrappers;
void memory_wrappers_free(struct memory_wrappers *wrappers);

/* The nearest function outside the wrappers on a site's path, from its owner outwards:
 * the owner itself when it is none. Stacked wrappers are passed as long as each function
 * makes hardly more than one block in a call, and few calls. */
uint32_t memory_wrappers_caller(struct rule_input *input, uint32_t owner);
/* "luaM_malloc_ > l_alloc": the user's functions from below caller down to owner. */
const char *memory_wrappers_through(struct rule_input *input, uint32_t caller,
				    uint32_t owner);
