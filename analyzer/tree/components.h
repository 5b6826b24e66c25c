/* SPDX-License-Identifier: MIT */
/*
 * The components of a call tree.
 *
 * The component of a path is that of its function, when one has been named for it (for
 * a region by the program, or by its source or name); else that of the path's caller,
 * when one has been named there or farther out; else the function's module, or for a
 * library of the language or the system the component of the path's caller. So what a
 * component calls that nobody has named belongs to it.
 */
#pragma once

#include "common/base/intern.h"
#include "common/base/strbuf.h"
#include "analyzer/tree/calltree.h"

/* What puts functions together where no region does: their module, the directory of their
 * source, or the namespace or class that they are in. */
enum component_by { COMPONENT_BY_MODULE, COMPONENT_BY_SOURCE, COMPONENT_BY_NAMESPACE };

/* Directories are told without what those of all files have in common. Zeroed, with by:
 * no file was seen. */
struct component_namer {
	enum component_by by;
	const char *least, *most; /* of the files in their order, borrowed */
};

/* Shows the file of a function, which must outlive the namer; NULL: it has none. */
void component_namer_see(struct component_namer *namer, const char *file);
/* Replaces ret by the component of a function, as it can be shown; false: nothing names
 * one, as of all functions by module. */
bool component_namer_put(const struct component_namer *namer, const char *function,
			 const char *file, struct strbuf *ret);

/* Zeroed: empty. */
struct components {
	struct intern names;
	uint32_t *paths; /* number in names by node; INTERN_NONE: not on the tree */
};

/* What the word of --by means, of "source" and "namespace"; else by modules. */
enum component_by components_by(const char *word);
void components_find(struct components *ret, const struct calltree *tree,
		     enum component_by by);
void components_free(struct components *components);
