/* SPDX-License-Identifier: MIT */
/*
 * Functions that do nothing but hand out memory, such as xmalloc(): who has their blocks
 * is who calls them. Must not take for one what builds an object of its own, always of
 * one size.
 */
#pragma once

#include "analyzer/tree/calltree.h"

/* What makes a function a wrapper: docs/rules-memory.md. */
struct wrapper_limits {
	double callers, sizes;	     /* at least */
	double blocks, least, calls; /* of a call: at most, at least, at most */
};

struct wrappers;

/* The tree is borrowed. Free with wrappers_free(), which takes NULL. */
struct wrappers *wrappers_find(const struct calltree *tree,
			       const struct wrapper_limits *limits);
void wrappers_free(struct wrappers *wrappers);

/* The nearest function outside the wrappers on a site's path, from its owner outwards:
 * the owner itself when it is none. Stacked wrappers are passed as long as each function
 * makes hardly more than one block in a call, and few calls. */
uint32_t wrappers_caller(struct wrappers *wrappers, uint32_t owner);

/* Sets is_wrapper of the functions that some site's path is passed through. */
void wrappers_mark(struct calltree *tree, const struct wrapper_limits *limits);
