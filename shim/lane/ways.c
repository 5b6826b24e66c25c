/* SPDX-License-Identifier: MIT */
/* The slow parts of ways. Runs on: as ways.h says. */
#include "shim/lane/ways.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/functions.h"

/* Another thread may be about to put a function into its front table: see tree.c. */
void ways_begin(void)
{
	if (tree_notes_ways())
		return;
	__atomic_store_n(&ways_are_noted, 1, __ATOMIC_SEQ_CST);
	clock_comes_at_entry = 0;
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane)
		ways_forget_front(lane, 0);
}

static void compiler_order(void)
{
	__asm__ volatile("" : : : "memory");
}

/* A handler sees the whole entry or none. */
void ways_note(struct lane_context *context, uint32_t child, uint64_t call_site,
	       uint32_t calls)
{
	const struct segment_node *node = &context->nodes[child];
	struct lane_way *way = ways_at(context, node->parent, node->key, call_site);

	if (trigger_count && trigger_find(node->key))
		return;
	way->child = 0;
	compiler_order();
	way->call_site = call_site;
	way->left = calls;
	compiler_order();
	way->child = child;
}

static void forget(const struct lane_context *context, uint32_t *place, uint64_t function)
{
	uint32_t node = __atomic_load_n(place, __ATOMIC_RELAXED);
	uint64_t key = context->nodes[node].key;

	if (node && (function ? key == function : !(key & SEGMENT_KEY_RETURN_ADDRESS)))
		__atomic_store_n(place, 0, __ATOMIC_RELAXED);
}

void ways_forget_front(struct lane_context *context, uint64_t function)
{
	for (uint32_t i = 0; context->nodes && i < LANE_FRONT_COUNT; i++)
		forget(context, &context->front[i], function);
}

void ways_forget(struct lane_context *context, uint64_t function)
{
	for (uint32_t i = 0; context->nodes && i < LANE_WAYS; i++)
		forget(context, &context->ways[i].child, function);
}
