/* SPDX-License-Identifier: MIT */
/* Libraries, threads and tasks as one frame each. Must not recurse. */
#include "analyzer/tree/frames.h"

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a thread begins: of libstdc++, libc++, Boost and the C library. */
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
/* Where a task is run that somebody waits for. */
static const char *const task_starts[] = {
	"std::future<",		  "std::shared_future<",      "std::__basic_future<",
	"std::__future_base::",	  "std::packaged_task<",      "std::__assoc_",
	"std::__deferred_assoc_", "std::__async_assoc_state", "std::__packaged_task_",
};

#define SEVERAL (FRAMES_NONE - 1)

struct frames_texts {
	struct intern intern;
};

enum chain { NO_CHAIN, THREAD, TASK };

struct folding {
	const struct frames_node *nodes;
	size_t count;
	uint32_t *entries; /* of library nodes: the node that they lead to */
	uint8_t *chains;   /* enum chain */
	struct frames frames;
};

static bool is_one_of(const char *name, const char *const *starts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(name, list) is_one_of(name, list, sizeof(list) / sizeof(*(list)))

/* What each library node leads to, through such nodes only; callees first. */
static void find_entries(struct folding *folding)
{
	const struct frames_node *nodes = folding->nodes;

	for (size_t i = 0; i < folding->count; i++)
		folding->entries[i] = FRAMES_NONE;
	for (size_t i = folding->count; i-- > 0;) {
		uint32_t parent = nodes[i].parent, *entry;
		uint32_t leads = nodes[i].is_library ? folding->entries[i] : (uint32_t)i;

		if (parent == FRAMES_NONE || !nodes[parent].is_library ||
		    leads == FRAMES_NONE || nodes[i].is_libc)
			continue;
		entry = &folding->entries[parent];
		if (*entry == FRAMES_NONE)
			*entry = leads;
		else if (leads == SEVERAL || *entry == SEVERAL ||
			 nodes[leads].function != nodes[*entry].function)
			*entry = SEVERAL;
	}
}

/* Callers first. */
static void find_chains(struct folding *folding)
{
	for (size_t i = 0; i < folding->count; i++) {
		const struct frames_node *node = &folding->nodes[i];
		bool is_root = node->parent == FRAMES_NONE;

		if (!node->is_library)
			continue;
		if (!is_root && folding->chains[node->parent])
			folding->chains[i] = folding->chains[node->parent];
		else if (is_root && IS_ONE_OF(node->name, thread_starts))
			folding->chains[i] = THREAD;
		else if (folding->entries[i] != FRAMES_NONE &&
			 IS_ONE_OF(node->name, task_starts))
			folding->chains[i] = TASK;
	}
}

static const char *keep(struct frames *frames, const char *text)
{
	struct intern *intern = &frames->texts->intern;

	return intern_name(intern, intern_text(intern, text, NULL));
}

/* "thread of main::{lambda#1}"; what leads nowhere is called as what it stands below. */
static const char *chain_label(struct folding *folding, size_t at)
{
	const struct frames_node *node = &folding->nodes[at];
	uint32_t entry = folding->entries[at];
	bool is_thread = folding->chains[at] == THREAD;
	char *text;
	const char *kept;

	if (entry == FRAMES_NONE && node->parent != FRAMES_NONE &&
	    folding->chains[node->parent])
		return folding->frames.labels[folding->frames.into[node->parent]];
	if (entry == FRAMES_NONE || entry == SEVERAL)
		return keep(&folding->frames, is_thread ? "threads" : "tasks");
	text = xasprintf("%s of %s", is_thread ? "thread" : "task",
			 folding->nodes[entry].name);
	kept = keep(&folding->frames, text);
	free(text);
	return kept;
}

static const char *label_of(struct folding *folding, size_t at, unsigned what)
{
	if ((what & FRAMES_THREADS) && folding->chains[at])
		return chain_label(folding, at);
	if ((what & FRAMES_LIBRARY) && folding->nodes[at].is_library)
		return keep(&folding->frames, "library");
	return NULL;
}

/* Where a node goes. Siblings are looked up below what was merged only: elsewhere two of
 * one function are two for a reason. */
static uint32_t place(struct folding *folding, struct map *places, const bool *is_merged,
		      uint32_t at, const char *label)
{
	const struct frames_node *node = &folding->nodes[at];
	struct frames *frames = &folding->frames;
	uint32_t parent =
		node->parent == FRAMES_NONE ? FRAMES_NONE : frames->into[node->parent];
	uint64_t key = label ? (uintptr_t)label : node->function;
	uint32_t there;

	if (label && parent != FRAMES_NONE && frames->labels[parent] == label)
		return parent;
	if (!label && node->function == FRAMES_NONE)
		return at;
	there = map_get(places, parent, key, label != NULL);
	if (there == MAP_NONE)
		map_put(places, parent, key, label != NULL, at);
	else if (label || (parent != FRAMES_NONE && is_merged[parent]))
		return there;
	return at;
}

static void place_all(struct folding *folding, unsigned what)
{
	struct frames *frames = &folding->frames;
	bool *is_merged = xcalloc(folding->count + 1, sizeof(*is_merged));
	struct map places = {0};

	for (uint32_t i = 0; i < folding->count; i++) {
		const char *label = label_of(folding, i, what);

		frames->into[i] = place(folding, &places, is_merged, i, label);
		frames->labels[i] = label;
		frames->any |= label != NULL;
		is_merged[i] = label != NULL;
		if (frames->into[i] != i) {
			is_merged[frames->into[i]] = true;
			frames->merged_count++;
		}
	}
	free(is_merged);
	map_done(&places);
}

struct frames frames_fold(const struct frames_node *nodes, size_t count, unsigned what)
{
	struct folding folding = {
		.nodes = nodes,
		.count = count,
		.entries = xcalloc(count + 1, sizeof(uint32_t)),
		.chains = xcalloc(count + 1, sizeof(uint8_t)),
		.frames = {.into = xcalloc(count + 1, sizeof(uint32_t)),
			   .labels = xcalloc(count + 1, sizeof(const char *)),
			   .texts = xcalloc(1, sizeof(struct frames_texts))},
	};

	if (what & FRAMES_THREADS) {
		find_entries(&folding);
		find_chains(&folding);
	}
	place_all(&folding, what);
	free(folding.entries);
	free(folding.chains);
	return folding.frames;
}

void frames_done(struct frames *frames)
{
	free(frames->into);
	free(frames->labels);
	if (frames->texts)
		intern_free(&frames->texts->intern);
	free(frames->texts);
	*frames = (struct frames){0};
}
