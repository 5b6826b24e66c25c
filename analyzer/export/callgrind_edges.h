/* SPDX-License-Identifier: MIT */
/*
 * Functions and the calls between them, added up from call paths: what a function has
 * with all that it calls is the sum of what its callers' calls cost.
 */
#pragma once

#include "analyzer/tree/profile.h"

/* What stands above the roots is nobody: PROFILE_NONE. */
struct callgrind_edge {
	uint32_t caller, callee;
	int64_t calls;
	/* At and below the callee, of paths on which no other of it stands above: a call
	 * inside of another call of the same function costs nothing once more. */
	int64_t costs[PROFILE_METRICS];
};

struct callgrind_edges {
	struct callgrind_edge *all; /* by caller, nobody last */
	size_t count;
	int64_t (*selves)[PROFILE_METRICS]; /* of each function */
};

struct callgrind_edges callgrind_edges_of(const struct profile *profile);
void callgrind_edges_free(struct callgrind_edges *edges);
