/* SPDX-License-Identifier: MIT */
/*
 * The components of a call tree.
 *
 * The component of a path is that of its function, if the program named one (a region)
 * or its source or namespace gives one. Else it is that of the nearest caller which has
 * such a component. Else it is the function's module; for libraries of the language or
 * the system, the caller's component. So unnamed code that a component calls belongs to
 * it.
 */
#pragma once

#include "common/base/map.h"
#include "common/base/text.h"
#include "analyzer/tree/calltree.h"

/* How functions without a region are grouped: by module, by the directory of their
 * source, or by their namespace or class. */
enum component_by { COMPONENT_BY_MODULE, COMPONENT_BY_SOURCE, COMPONENT_BY_NAMESPACE };

/* Names directories without the part that all files share. Zero it and set by before the
 * first file. */
struct component_namer {
	enum component_by by;
	const char *least,
		*most; /* first and last file in alphabetical order, borrowed */
};

/* Adds a function's file, which must outlive the namer; NULL: not known. */
void component_namer_see(struct component_namer *namer, const char *file);
/* Sets ret to the function's component, cleaned for display. False if nothing names one,
 * as always by module. */
bool component_namer_put(const struct component_namer *namer, const char *function,
			 const char *file, struct strbuf *ret);

/* Zeroed: empty. */
struct components {
	struct intern names;
	uint32_t *paths; /* index in names by node; INTERN_NONE: the node is not on the
			    tree */
};

/* Parses --by: "source", "namespace", anything else means module. */
enum component_by components_by(const char *word);
void components_find(struct components *ret, const struct calltree *tree,
		     enum component_by by);
