/* SPDX-License-Identifier: MIT */
/*
 * The call paths of a run as a tree in memory. Must not trust its input: parents may be
 * missing, doubled or form a ring.
 *
 * Use: calltree_new(), calltree_add_function() and calltree_add_path() in any order,
 * then calltree_link() once; then everything else.
 */
#pragma once

#include "common/base/arena.h"
#include "common/quantities.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

#define CALLTREE_NONE UINT32_MAX

struct calltree_function {
	int64_t function_id;
	/* Texts can be shown, and are in calltree.texts; NULL: not known. */
	const char *name; /* not NULL */
	const char *linkage_name, *module;
	const char *file; /* of the definition */
	uint32_t line;
	bool is_library;   /* of a language's or the system's library, not the user's */
	bool is_wrapper;   /* its allocations are its caller's: wrappers_mark() */
	bool is_region;	   /* a part of functions that the program gave a name */
	bool is_libc;	   /* a call of libc that waits or moves data: nobody's code */
	bool is_estimated; /* not all of its calls were timed */
	const char *component; /* of a region, by the program */
	int64_t self_error_ns; /* of all its paths together; 0: not known */
};

struct calltree_node {
	int64_t path_id, parent_path_id;    /* parent 0: none */
	uint32_t parent, first_child, next; /* node numbers or CALLTREE_NONE */
	uint32_t function;		    /* number in functions */
	uint32_t depth;			    /* 1 for roots */
	uint32_t recursion;   /* folded: most activations of the function on one path */
	uint32_t path_count;  /* folded: paths in it */
	bool is_frame;	      /* uninstrumented, seen by unwinding */
	uint8_t recording;    /* how, as run.db has it; 0: each call. Folded: the most */
	bool is_inlined;      /* an inlined copy, of the code above it */
	uint32_t host;	      /* itself; folded copies: the node that has their time */
	uint32_t merged_into; /* in its place, CALLTREE_NONE: it is there itself */
	/* where it was called in the code above; file NULL: not known. Of several lines
	 * that are known it is one; folded: of the first path that has one */
	const char *call_file;
	uint32_t call_line, call_lines;
	bool is_untimed; /* none of its calls was timed: estimated, or from a stack */
	QUANTITY_FIELDS(TREE);			    /* its own, children not included */
	int64_t tree_alloc_count, tree_alloc_bytes; /* with everything below */
	int64_t before; /* in the difference of two moments: what the earlier one had */
};

struct calltree {
	struct calltree_node *nodes;
	size_t node_count;
	struct calltree_function *functions;
	size_t function_count;
	uint32_t first_root; /* siblings by next */
	/* Node numbers, every parent before its children, siblings together in tree
	 * order; nodes on a ring of parents are not in it. */
	uint32_t *order;
	size_t order_count;
	struct arena texts;
};

struct calltree *calltree_new(void);
void calltree_free(struct calltree *tree);

/* The new function; fill its other fields, texts with arena_copy(). Borrowed until the
 * next call. */
struct calltree_function *calltree_add_function(struct calltree *tree,
						int64_t function_id, const char *name);
/* The new node; fill its numbers. Borrowed until the next call. */
struct calltree_node *calltree_add_path(struct calltree *tree, int64_t path_id,
					int64_t parent_path_id, int64_t function_id);
/* A text in the tree's memory; NULL stays NULL. */
const char *calltree_keep(struct calltree *tree, const char *text);
/* Finds parents, children, depths and sums over subtrees. */
void calltree_link(struct calltree *tree);
/* Children by the parents that the nodes have: siblings in the order they stand in,
 * without what is merged_into others. */
void calltree_link_children(struct calltree *tree);
/* Order and depths by the children. */
void calltree_renew_order(struct calltree *tree);
/* A number for each node, CALLTREE_NONE so far; owned by caller. */
uint32_t *calltree_numbers(const struct calltree *tree);
/* Gives the nodes numbers in the tree's order. Returns the new one of each, owned by
 * caller. */
uint32_t *calltree_settle(struct calltree *tree);
/* Renews the sums over subtrees. */
void calltree_sum_subtrees(struct calltree *tree);

/*
 * Folds inlined copies into their hosts, so that times are those of the program as it was
 * built: a copy's self time goes to its host, and what it called is called by the host,
 * together with what that calls itself. The copies stay with their calls and what they
 * allocated, like functions seen by unwinding: where a block comes from is told by the
 * line that asked for it. The sums of the tree stay the same. Its nodes keep their
 * numbers.
 */
void calltree_fold_inlined(struct calltree *tree);
/* The same with times that were put into the nodes since. */
void calltree_move_times(struct calltree *tree);
/* Of errors that were added up: what is a node's own is no longer than all of it, and no
 * path has a larger error than all paths of its function together. */
void calltree_narrow_self(const struct calltree *tree, struct calltree_node *node);
/* Has another node, above it, its time? */
static inline bool calltree_is_folded(const struct calltree *tree, uint32_t node)
{
	return tree->nodes[node].host != node;
}

/* The node of a path, or CALLTREE_NONE. */
uint32_t calltree_find(const struct calltree *tree, int64_t path_id);
/* The innermost function on the node's path that is not a library's; the node itself
 * when there is none. */
uint32_t calltree_owner(const struct calltree *tree, uint32_t node);
/* Its name. Where nobody but libraries is on the path, they allocated for themselves
 * before or behind the program: libstdc++'s pool for exceptions, the loader's tables. */
const char *calltree_owner_name(const struct calltree *tree, uint32_t node);
/* "exact", "sampled", "counted", "off", or "unwound" of a frame. */
const char *calltree_recording_word(const struct calltree_node *node);
const char *calltree_name(const struct calltree *tree, uint32_t node);
/* Appends the names from the root to the node, each but the last ended by end; for people
 * (TABLE_CHAIN_END) untimed ones between others stand [in brackets]. Of more
 * than 256 the middle ones are left out, and counted: "(9744 more)". */
void calltree_put_chain(const struct calltree *tree, uint32_t node, const char *end,
			struct strbuf *text);
/* The same with "FILE:LINE" of each one's call in place of its name, "?" where that is
 * not known. */
void calltree_put_calls(const struct calltree *tree, uint32_t node, const char *end,
			struct strbuf *text);
/* The number of a function, or CALLTREE_NONE. */
uint32_t calltree_function(const struct calltree *tree, int64_t function_id);

/*
 * One new tree for all folds. into: of each node (calltree_numbers()) the one that it
 * becomes a part of, which is itself or comes before it in the tree's order and stays;
 * afterwards the number in the new tree. Quantities add up as common/quantities.def says:
 * what stands below another of its new node is inside of that one's total. Owned by
 * caller, without order and depths so far.
 */
struct calltree *calltree_merge(const struct calltree *tree, uint32_t *into);

/*
 * Three folds, each a new tree owned by caller, for which calltree_find() does not work.
 * ret_places: the new number of each node, owned by caller, CALLTREE_NONE: it has none.
 */
/* Every function at most once on any path: a recursive activation is part of the
 * outermost one above it. Sorted by total. */
struct calltree *calltree_fold(const struct calltree *tree);
/* What a function calls of itself directly is part of it: who asks of a path which
 * functions are on it gets the same answer, and it is short. Nodes are numbered in the
 * tree's order, the path_id of each is the least. */
struct calltree *calltree_fold_own_calls(const struct calltree *tree,
					 uint32_t **ret_places);
/* The function of nodes that stand for many: calltree_function() does not work either. */
#define CALLTREE_FOLDED_FUNCTION (-1)
/* CALLTREE_LIBRARY: functions of libraries, one below the other or side by side, are one
 * node "library". CALLTREE_THREADS: those between the start of a thread and the function
 * that it was started for are one node "thread of F"; those through which a task of a
 * future is run are "task of F"; "threads" and "tasks" when they lead to several. */
enum { CALLTREE_LIBRARY = 1, CALLTREE_THREADS = 2 };
struct calltree *calltree_fold_frames(const struct calltree *tree, unsigned what,
				      uint32_t **ret_places);

enum calltree_order {
	CALLTREE_BY_TOTAL,
	CALLTREE_BY_SELF,
	CALLTREE_BY_CALLS,
	CALLTREE_BY_ALLOC_BYTES, /* of the subtree */
	CALLTREE_BY_READY,	 /* by itself */
	CALLTREE_BY_BLOCKED,	 /* likewise */
	CALLTREE_BY_NAME,
};

/* Sorts siblings, largest first, then by name; renews tree->order. */
void calltree_sort(struct calltree *tree, enum calltree_order order);

/* Sums of the whole tree, of one function, or of calls between two functions. total_ns
 * counts outermost activations only. */
struct calltree_total {
	QUANTITY_FIELDS(TREE);
};
struct calltree_total calltree_sum(const struct calltree *tree);
/* The allocations on paths of frames alone: no instrumented function led to them. */
double calltree_allocs_of_frames(const struct calltree *tree);

/* By node: no node above it has the same key, from 0 to key_count (CALLTREE_NONE: it has
 * none, and is not outermost). Owned by caller. */
bool *calltree_outermost(const struct calltree *tree, const uint32_t *keys,
			 size_t key_count);
/* The line of its call in the file of the function above; 0: not known, or of another
 * file. */
uint32_t calltree_call_line(const struct calltree *tree, uint32_t node);
/* The function whose code calls it, or CALLTREE_NONE. */
uint32_t calltree_caller(const struct calltree *tree, uint32_t node);
