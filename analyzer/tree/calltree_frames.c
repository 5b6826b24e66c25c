/* SPDX-License-Identifier: MIT */
/* Folds code that is not the user's into single nodes: libraries, and the functions that
 * run threads and tasks. Must not recurse, or lose or count twice what a node has. */
#include "analyzer/tree/calltree.h"

#include "common/base/map.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Where threads begin in libstdc++, libc++, Boost and the C library. */
static const char *const thread_starts[] = {
	"std::thread::_State_impl<",
	"std::thread::_Impl<",
	"std::__thread_proxy",
	"std::jthread::",
	"boost::detail::thread_data<",
	"execute_native_thread_routine",
	"start_thread",
	"clone",
	"__clone",
};
/* Where a task runs that somebody waits for. */
static const char *const task_starts[] = {
	"std::future<",		  "std::shared_future<",      "std::__basic_future<",
	"std::__future_base::",	  "std::packaged_task<",      "std::__assoc_",
	"std::__deferred_assoc_", "std::__async_assoc_state", "std::__packaged_task_",
};

#define SEVERAL (CALLTREE_NONE - 1)

enum chain { NO_CHAIN, THREAD, TASK };

/* Arrays by node, except labels. */
struct folding {
	const struct calltree *tree;
	struct intern labels;
	uint32_t *entries; /* for library nodes: the user's node that they lead to */
	uint8_t *chains;   /* enum chain */
	uint32_t *label;   /* by node: index in labels, or CALLTREE_NONE */
	uint32_t *into;
	bool *is_merged; /* several nodes became this one */
};

static bool is_one_of(const char *name, const char *const *starts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(name, list) is_one_of(name, list, sizeof(list) / sizeof(*(list)))

static const struct calltree_function *function_of(const struct calltree *tree,
						   uint32_t node)
{
	uint32_t function = tree->nodes[node].function;

	return function == CALLTREE_NONE ? NULL : &tree->functions[function];
}

static bool is_library(const struct calltree *tree, uint32_t node)
{
	const struct calltree_function *function = function_of(tree, node);

	return function && function->is_library && !function->is_libc;
}

/* A call of libc that waits or moves data stays as it is, and leads nowhere. */
static bool is_libc(const struct calltree *tree, uint32_t node)
{
	const struct calltree_function *function = function_of(tree, node);

	return function && function->is_libc;
}

/* Finds which node each library node leads to through library nodes only; callees
 * first. */
static void find_entries(struct folding *folding)
{
	const struct calltree *tree = folding->tree;

	for (size_t i = tree->order_count; i-- > 0;) {
		uint32_t at = tree->order[i], parent = tree->nodes[at].parent, *entry;
		uint32_t leads = is_library(tree, at) ? folding->entries[at] : at;

		if (parent == CALLTREE_NONE || !is_library(tree, parent) ||
		    leads == CALLTREE_NONE || is_libc(tree, at))
			continue;
		entry = &folding->entries[parent];
		if (*entry == CALLTREE_NONE)
			*entry = leads;
		else if (leads == SEVERAL || *entry == SEVERAL ||
			 tree->nodes[leads].function != tree->nodes[*entry].function)
			*entry = SEVERAL;
	}
}

/* Callers first. */
static void find_chains(struct folding *folding)
{
	const struct calltree *tree = folding->tree;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i], parent = tree->nodes[at].parent;
		bool is_root = parent == CALLTREE_NONE;

		if (!is_library(tree, at))
			continue;
		if (!is_root && folding->chains[parent])
			folding->chains[at] = folding->chains[parent];
		else if (is_root && IS_ONE_OF(calltree_name(tree, at), thread_starts))
			folding->chains[at] = THREAD;
		else if (folding->entries[at] != CALLTREE_NONE &&
			 IS_ONE_OF(calltree_name(tree, at), task_starts))
			folding->chains[at] = TASK;
	}
}

/* "thread of main::{lambda#1}"; a chain that leads nowhere gets the label of its
 * parent. */
static uint32_t chain_label(struct folding *folding, uint32_t at)
{
	uint32_t entry = folding->entries[at], parent = folding->tree->nodes[at].parent;
	bool is_thread = folding->chains[at] == THREAD;
	ended_by(strbuf_free) struct strbuf text = {0};
	uint32_t label;

	if (entry == CALLTREE_NONE && parent != CALLTREE_NONE && folding->chains[parent])
		return folding->label[parent];
	strbuf_puts(&text, is_thread ? "thread" : "task");
	if (entry == CALLTREE_NONE || entry == SEVERAL)
		strbuf_putc(&text, 's');
	else
		strbuf_printf(&text, " of %s", calltree_name(folding->tree, entry));
	label = intern_text(&folding->labels, strbuf_text(&text), NULL);
	return label;
}

static uint32_t label_of(struct folding *folding, uint32_t at, unsigned what)
{
	if ((what & CALLTREE_THREADS) && folding->chains[at])
		return chain_label(folding, at);
	if ((what & CALLTREE_LIBRARY) && is_library(folding->tree, at))
		return intern_text(&folding->labels, "library", NULL);
	return CALLTREE_NONE;
}

/* Where a node goes. Only below merged nodes siblings of one function are joined:
 * elsewhere there is a reason why they are two. */
static uint32_t place(struct folding *folding, struct map *places, uint32_t at)
{
	const struct calltree_node *node = &folding->tree->nodes[at];
	uint32_t label = folding->label[at], parent = node->parent, there;
	bool has_label = label != CALLTREE_NONE;
	uint64_t key = has_label ? label : node->function;

	if (parent != CALLTREE_NONE)
		parent = folding->into[parent];
	if (has_label && parent != CALLTREE_NONE && folding->label[parent] == label)
		return parent;
	if (!has_label && node->function == CALLTREE_NONE)
		return at;
	there = map_get(places, parent, key, has_label);
	if (there == MAP_NONE)
		map_put(places, parent, key, has_label, at);
	else if (has_label || (parent != CALLTREE_NONE && folding->is_merged[parent]))
		return there;
	return at;
}

static void place_all(struct folding *folding, unsigned what)
{
	const struct calltree *tree = folding->tree;
	ended_by(map_done) struct map places = {0};

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i], into;

		folding->label[at] = label_of(folding, at, what);
		folding->into[at] = into = place(folding, &places, at);
		folding->is_merged[at] = folding->label[at] != CALLTREE_NONE;
		folding->is_merged[into] |= into != at;
	}
}

/* Gives nodes that stand for many a function of their own. */
static void put_labels(const struct folding *folding, struct calltree *to)
{
	const struct calltree *tree = folding->tree;
	uint32_t first = (uint32_t)to->function_count;

	for (uint32_t i = 0; i < folding->labels.count; i++)
		calltree_add_function(to, CALLTREE_FOLDED_FUNCTION,
				      intern_name(&folding->labels, i))
			->is_library = true;
	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i];
		struct calltree_node *node = &to->nodes[folding->into[at]];

		if (folding->label[at] == CALLTREE_NONE)
			continue;
		node->function = first + folding->label[at];
		node->is_frame = node->is_inlined = false;
		node->recursion = 0;
	}
}

struct calltree *calltree_fold_frames(const struct calltree *tree, unsigned what,
				      uint32_t **ret_places)
{
	struct folding folding = {
		.tree = tree,
		.entries = calltree_numbers(tree),
		.chains = xcalloc(tree->node_count + 1, sizeof(uint8_t)),
		.label = calltree_numbers(tree),
		.into = calltree_numbers(tree),
		.is_merged = xcalloc(tree->node_count + 1, sizeof(bool)),
	};
	struct calltree *to;

	if (what & CALLTREE_THREADS) {
		find_entries(&folding);
		find_chains(&folding);
	}
	place_all(&folding, what);
	to = calltree_merge(tree, folding.into);
	calltree_renew_order(to);
	put_labels(&folding, to);
	intern_free(&folding.labels);
	free(folding.entries);
	free(folding.chains);
	free(folding.label);
	free(folding.is_merged);
	*ret_places = folding.into;
	return to;
}
