/* SPDX-License-Identifier: MIT */
/* Functions that only hand out memory, such as xmalloc(): their callers own the blocks. A
 * function that builds objects of its own, always of one size, must not count as one. */
#pragma once

#include "analyzer/tree/calltree.h"

/* When a function counts as a wrapper: docs/rules-memory.md. */
struct wrapper_limits {
	double callers, sizes;	     /* at least */
	double blocks, least, calls; /* for each call: at most, at least, at most */
};

struct wrappers;

/* The tree is borrowed. */
struct wrappers *wrappers_find(const struct calltree *tree,
			       const struct wrapper_limits *limits);

/* The nearest function outside the wrappers on a site's path, from its owner outwards;
 * the owner itself if it is no wrapper. Stacked wrappers are passed while each makes
 * about one block in a call and calls little else. */
uint32_t wrappers_caller(struct wrappers *wrappers, uint32_t owner);

/* Sets is_wrapper of the functions that wrappers_caller() passes for some site. */
void wrappers_mark(struct calltree *tree, const struct wrapper_limits *limits);
