/* SPDX-License-Identifier: MIT */
/*
 * The call paths of a run as a tree in memory. Must not trust its input: parents may be
 * missing, doubled or form a ring.
 *
 * Use: calltree_new(), calltree_add_function() and calltree_add_path() in any order,
 * then calltree_link() once; then everything else.
 */
#pragma once

#include "common/base/xalloc.h"
#include "common/quantities.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

#define CALLTREE_NONE UINT32_MAX

struct calltree_function {
	int64_t function_id;
	/* Cleaned for display, owned by calltree.texts; NULL: not known. */
	const char *name; /* not NULL */
	const char *linkage_name, *module;
	const char *file; /* where it is defined */
	uint32_t line;
	bool is_library;       /* of a language or system library */
	bool is_wrapper;       /* its allocations are its caller's: wrappers_mark() */
	bool is_region;	       /* a part of a function that the program gave a name */
	bool is_libc;	       /* a call of libc that waits or moves data */
	bool is_estimated;     /* not all of its calls were timed */
	const char *component; /* of a region, as the program named it */
	int64_t self_error_ns; /* of all its paths together; 0: not known */
};

struct calltree_node {
	int64_t path_id, parent_path_id;    /* parent 0: none */
	uint32_t parent, first_child, next; /* node numbers or CALLTREE_NONE */
	uint32_t function;		    /* number in functions */
	uint32_t depth;			    /* 1 for roots */
	uint32_t recursion;   /* folded: most activations of the function on one path */
	uint32_t path_count;  /* folded: paths that became this node */
	bool is_frame;	      /* uninstrumented, seen by unwinding */
	uint8_t recording;    /* run.db's code; 0: each call timed. Folded: the highest */
	bool is_inlined;      /* an inlined copy; its host is above it */
	uint32_t host;	      /* itself; of a folded copy the node that got its time */
	uint32_t merged_into; /* the node it became part of, or CALLTREE_NONE */
	/* The call's place in the code of the parent; file NULL: not known. If several
	 * lines are known this is one of them; folded: that of the first path that has
	 * one. */
	const char *call_file;
	uint32_t call_line, call_lines;
	bool is_untimed;       /* no call was timed: estimated, or seen on a stack only */
	QUANTITY_FIELDS(TREE); /* its own, children not included */
	int64_t tree_alloc_count, tree_alloc_bytes; /* with everything below */
	int64_t before; /* of a difference of two moments: the value at the earlier one */
};

struct calltree {
	struct calltree_node *nodes;
	size_t node_count;
	struct calltree_function *functions;
	size_t function_count;
	uint32_t first_root; /* siblings by next */
	/* Node numbers: each parent before its children, siblings together in their
	 * order. Nodes on a ring of parents are missing. */
	uint32_t *order;
	size_t order_count;
	struct arena texts;
};

struct calltree *calltree_new(void);
void calltree_free(struct calltree *tree);

/* Returns the new function, borrowed until the next call. The caller fills the other
 * fields; texts with arena_copy(). */
struct calltree_function *calltree_add_function(struct calltree *tree,
						int64_t function_id, const char *name);
/* Returns the new node, borrowed until the next call. The caller fills its numbers. */
struct calltree_node *calltree_add_path(struct calltree *tree, int64_t path_id,
					int64_t parent_path_id, int64_t function_id);
/* Copies a text into the tree's memory; NULL stays NULL. */
const char *calltree_keep(struct calltree *tree, const char *text);
/* Finds parents, children, depths and sums over subtrees. */
void calltree_link(struct calltree *tree);
/* Sets children from the nodes' parents, siblings in node order; merged nodes are
 * skipped. */
void calltree_link_children(struct calltree *tree);
/* Sets order and depths from the children. */
void calltree_renew_order(struct calltree *tree);
/* An array with a number for each node, all CALLTREE_NONE; owned by caller. */
uint32_t *calltree_numbers(const struct calltree *tree);
/* Renumbers the nodes in the tree's order. Returns each old node's new number, owned by
 * caller. */
uint32_t *calltree_settle(struct calltree *tree);
/* Renews the sums over subtrees. */
void calltree_sum_subtrees(struct calltree *tree);

/*
 * Folds inlined copies into their hosts, so that times are those of the program as it was
 * built. A copy's self time goes to its host, and the host calls what the copy called,
 * together with what it calls itself. The copies stay in the tree with their calls and
 * their allocations (like functions seen by unwinding), because the line that asked for a
 * block tells where it comes from. Sums of the tree do not change; nodes keep their
 * numbers.
 */
void calltree_fold_inlined(struct calltree *tree);
/* Repeats that move for times that were put into the nodes after it. */
void calltree_move_times(struct calltree *tree);
/* Bounds errors that were added up: a node's own by that of its total, and a path's by
 * that of its function over all paths. */
void calltree_narrow_self(const struct calltree *tree, struct calltree_node *node);
/* Whether the node's time was moved to its host. */
static inline bool calltree_is_folded(const struct calltree *tree, uint32_t node)
{
	return tree->nodes[node].host != node;
}

/* The node of a path, or CALLTREE_NONE. */
uint32_t calltree_find(const struct calltree *tree, int64_t path_id);
/* The innermost function on the node's path that is not a library's; if there is none,
 * the node itself. */
uint32_t calltree_owner(const struct calltree *tree, uint32_t node);
/* The owner's name. If only libraries are on the path, they allocated for themselves
 * before or after the program: libstdc++'s pool for exceptions, the loader's tables. */
const char *calltree_owner_name(const struct calltree *tree, uint32_t node);
/* "exact", "sampled", "counted" or "off"; "unwound" for a frame without times. */
const char *calltree_recording_word(const struct calltree_node *node);
const char *calltree_name(const struct calltree *tree, uint32_t node);
/* Appends the names from the root to the node, separated by end. For people
 * (TABLE_CHAIN_END) untimed levels between others stand [in brackets]. Beyond 256 names
 * the middle ones are left out and counted: "(9744 more)". */
void calltree_put_chain(const struct calltree *tree, uint32_t node, const char *end,
			struct strbuf *text);
/* The same with the "FILE:LINE" of each call instead of its name, "?" if not known. */
void calltree_put_calls(const struct calltree *tree, uint32_t node, const char *end,
			struct strbuf *text);
/* The number of the function with this id, or CALLTREE_NONE. */
uint32_t calltree_function(const struct calltree *tree, int64_t function_id);

/*
 * Makes a new tree; all folds use this. into has for each node (calltree_numbers()) the
 * node that it becomes part of: itself, or one that comes before it in the tree's order
 * and stays. On return it has the node's number in the new tree. Quantities add up as
 * common/quantities.def says; a node below another that became the same one is inside
 * that one's total. The tree is owned by caller and has no order or depths yet.
 */
struct calltree *calltree_merge(const struct calltree *tree, uint32_t *into);

/* Three folds. Each makes a new tree, owned by caller, for which calltree_find() does not
 * work. ret_places: the new number of each node or CALLTREE_NONE, owned by caller. */
/* Folds recursion: each function occurs at most once on a path, and its inner activations
 * are part of the outermost one. Sorted by total. */
struct calltree *calltree_fold(const struct calltree *tree);
/* Folds direct recursion only. This keeps paths short, and asking which functions are on
 * a path gives the same answer. Nodes are numbered in the tree's order; each has the
 * least path_id of those it stands for. */
struct calltree *calltree_fold_own_calls(const struct calltree *tree,
					 uint32_t **ret_places);
/* The function_id of nodes that stand for many functions; calltree_function() does not
 * work either. */
#define CALLTREE_FOLDED_FUNCTION (-1)
/* CALLTREE_LIBRARY: adjacent library functions become one node "library".
 * CALLTREE_THREADS: the functions between the start of a thread and the function it was
 * started for become "thread of F", those that run the task of a future "task of F";
 * "threads" and "tasks" if they lead to several. */
enum { CALLTREE_LIBRARY = 1, CALLTREE_THREADS = 2 };
struct calltree *calltree_fold_frames(const struct calltree *tree, unsigned what,
				      uint32_t **ret_places);

enum calltree_order {
	CALLTREE_BY_TOTAL,
	CALLTREE_BY_SELF,
	CALLTREE_BY_CALLS,
	CALLTREE_BY_ALLOC_BYTES, /* of the subtree */
	CALLTREE_BY_READY,	 /* of the node itself */
	CALLTREE_BY_BLOCKED,	 /* of the node itself */
	CALLTREE_BY_NAME,
};

/* Sorts siblings, largest first, then by name; sets tree->order anew. */
void calltree_sort(struct calltree *tree, enum calltree_order order);

/* Sums over the tree, over one function, or over the calls between two functions.
 * total_ns counts outermost activations only. */
struct calltree_total {
	QUANTITY_FIELDS(TREE);
};
struct calltree_total calltree_sum(const struct calltree *tree);
/* The allocations on paths without any instrumented function. */
double calltree_allocs_of_frames(const struct calltree *tree);

/* For each node: whether no node above it has the same key. Keys are below key_count;
 * CALLTREE_NONE means no key, and gives false. Owned by caller. */
bool *calltree_outermost(const struct calltree *tree, const uint32_t *keys,
			 size_t key_count);
/* The line of the node's call if it is in the file of the parent's function; else 0, as
 * when it is not known. */
uint32_t calltree_call_line(const struct calltree *tree, uint32_t node);
/* The function whose code calls the node, or CALLTREE_NONE. */
uint32_t calltree_caller(const struct calltree *tree, uint32_t node);
