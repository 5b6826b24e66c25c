/* SPDX-License-Identifier: MIT */
/*
 * A call tree summed up by components.
 *
 * The component of a path is that of its function, when one has been named for it (by a
 * map, or for a region by the program); else that of the path's caller, when one has been
 * named there or farther out; else the function's module, or for a library of the
 * language or the system the component of the path's caller. So what a component calls
 * that nobody has named belongs to it.
 */
#pragma once

#include "common/base/intern.h"
#include "analyzer/model/calltree.h"

struct components_function {
	const char *named;    /* component; NULL: not named */
	const char *fallback; /* its module; not NULL */
	bool is_library;      /* belongs to its caller unless it is named */
};

struct component_total {
	QUANTITY_FIELDS(LANE); /* of its functions and regions */
	int64_t entries;       /* calls from other components, or from nowhere */
	int64_t outermost;     /* entries that were not below another of the component */
	int64_t function_count, path_count;
};

struct component_edge {
	uint32_t caller, callee; /* numbers in names */
	int64_t calls;
	int64_t outermost, total_ns; /* of the first occurrence on a path */
};

/* Zeroed: empty. */
struct components {
	struct intern names;
	struct component_total *totals; /* parallel to names */
	struct component_edge *edges;
	size_t edge_count;
	uint32_t *paths; /* by node of the tree; INTERN_NONE: not on the tree */
};

/* functions: one for each function of the tree, borrowed meanwhile. */
void components_sum(struct components *ret, const struct calltree *tree,
		    const struct components_function *functions);
void components_free(struct components *components);
