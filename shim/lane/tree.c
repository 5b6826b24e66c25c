/* SPDX-License-Identifier: MIT */
/*
 * The slow path of the call tree: hash lookup, new nodes, new functions, growth. Runs
 * on: the lane's thread, any context. Must not call libc or lock.
 *
 * INTERRUPTION BY SIGNAL HANDLERS
 *
 * Only the lane's own thread writes its tree, but a handler on that thread may enter
 * here while an insertion is half done. What makes that harmless: indices are taken
 * with one instruction (xadd); the published counts are moved on only by the outermost
 * insertion, when nested ones are complete; a chain head stored over a handler's newer
 * head only hides the handler's node, and a node that is not found is made a second
 * time, which readers of the segment merge. Only the outermost insertion grows tables,
 * since the interrupted code may be about to use the old one. It relinks nodes one by
 * one; a handler that walks a chain meanwhile may stray into the new chain, which is
 * acyclic and ends, and again at worst makes a duplicate.
 */
#include "shim/lane/tree.h"

#include <errno.h>

#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/functions.h"

uint32_t ways_are_noted;

#define PAGE_BYTES 4096u
#define FIRST_FUNCTIONS 256u
#define HANDLER_ENTRIES 8u
#define RESERVED_NODES 16384u	/* 1 MiB */
#define RESERVED_FUNCTIONS 512u /* 664 KiB */

static inline uint32_t take_index(uint32_t *next)
{
	uint32_t one = 1;

	/* one instruction: a handler comes before or after it; no lock prefix needed, as
	 * no other thread writes here */
	__asm__ volatile("xaddl %0, %1" : "+r"(one), "+m"(*next) : : "memory", "cc");
	return one;
}

/* Without the number of an unloaded module: a node keeps its place in the tables when
 * its module goes, and is found there when the module comes back. */
static inline uint64_t plain_key(uint64_t key)
{
	return key & ~(SEGMENT_KEY_MODULE_MASK << SEGMENT_KEY_MODULE_SHIFT);
}

static inline void order_stores(void)
{
	__asm__ volatile("" : : : "memory");
}

/* Children of one parent share one or two cache lines of the table: a caller of one
 * usually calls others. */
static inline uint32_t bucket_of(uint32_t parent, uint64_t key, uint32_t mask)
{
	uint32_t child = (uint32_t)key * 0x85ebca6bu >> 28;

	return (parent * 0x9e3779b1u << 4 | child) & mask;
}

/* A parent with this many children in a chain is wide: its further children are spread
 * over the table. So chains stay short even for a loop that calls 30,000 functions. */
#define WIDE_CHAIN 8u

static inline uint32_t wide_bucket_of(uint32_t parent, uint64_t key, uint32_t mask)
{
	uint64_t child = key ^ (uint64_t)parent << 40 ^ parent;

	return (uint32_t)(child * 0x9e3779b97f4a7c15ull >> 32) & mask;
}

static inline int is_wide(const struct lane_context *context, uint32_t parent)
{
	return context->wide_parents[parent / 64 % 4] >> parent % 64 & 1;
}

/* The head of the chain for a node that is in none yet. A parent stays wide for good;
 * searches also look where its first children were listed. */
static uint32_t *chain_for(struct lane_context *context, uint32_t parent, uint64_t key,
			   uint32_t *buckets, uint32_t mask)
{
	uint32_t *head = &buckets[bucket_of(parent, key, mask)], siblings = 0;

	for (uint32_t i = *head; i && !is_wide(context, parent);
	     i = context->nodes[i].hash_next) {
		siblings += context->nodes[i].parent == parent;
		if (siblings == WIDE_CHAIN)
			context->wide_parents[parent / 64 % 4] |= 1ull << parent % 64;
	}
	return is_wide(context, parent) ? &buckets[wide_bucket_of(parent, key, mask)]
					: head;
}

static void unmap_buckets(struct lane_context *context, uint32_t *buckets, uint32_t count)
{
	if (buckets != context->first_buckets)
		process_unmap(buckets, count * (uint64_t)sizeof(*buckets));
}

/* Relinks all nodes into a table of twice the size. */
static void grow_buckets(struct lane_context *context)
{
	uint32_t mask = context->bucket_mask * 2 + 1;
	uint32_t *old = context->buckets;
	uint32_t *buckets = process_map((mask + 1ull) * sizeof(*buckets), 0);

	if (!buckets)
		return; /* longer chains, nothing worse */
	for (uint32_t i = 2; i < context->node_next; i++) {
		struct segment_node *node = &context->nodes[i];
		uint32_t *head = chain_for(context, node->parent, plain_key(node->key),
					   buckets, mask);

		node->hash_next = *head;
		*head = i;
	}
	context->buckets = buckets;
	order_stores(); /* a handler may use the new table with the old mask */
	context->bucket_mask = mask;
	process_count(SEGMENT_COUNTER_TOOL_BYTES, (mask + 1ull) * sizeof(*buckets) / 2);
	unmap_buckets(context, old, (mask + 1) / 2);
}

static void list_functions(const struct lane_context *context, uint32_t *table,
			   uint32_t mask)
{
	for (uint32_t i = 1; i < context->function_next; i++) {
		uint32_t at = tree_hash(0, plain_key(context->functions[i].key)) & mask;

		while (table[at])
			at = (at + 1) & mask;
		table[at] = i;
	}
}

static void grow_function_table(struct lane_context *context)
{
	uint32_t mask = context->function_mask * 2 + 1;
	uint32_t *old = context->function_table;
	uint32_t *table = process_map((mask + 1ull) * sizeof(*table), 0);

	if (!table)
		return;
	list_functions(context, table, mask);
	context->function_table = table;
	order_stores();
	context->function_mask = mask;
	unmap_buckets(context, old, (mask + 1) / 2);
}

/* A lane that was taken over gets a table only with its first new function: a child that
 * makes no new path need not read all histograms. */
static int make_function_table(struct lane_context *context)
{
	uint32_t mask = FIRST_FUNCTIONS - 1, *table;

	while (context->function_next * 2 > mask)
		mask = mask * 2 + 1;
	table = process_map((mask + 1ull) * sizeof(*table), 0);
	if (!table)
		return -ENOMEM;
	list_functions(context, table, mask);
	context->function_mask = mask;
	order_stores();
	context->function_table = table;
	return 0;
}

/* Makes sure that entry `index` of an array has pages, and the next few, too: handlers
 * may take entries before the caller does. */
static int ensure(struct lane_context *context, enum array_number number, uint32_t index)
{
	return process_grow(context->lane, context->slot, number,
			    index + HANDLER_ENTRIES + 1);
}

static int ensure_node(struct lane_context *context, uint32_t index)
{
	int result = ensure(context, ARRAY_NODES, index);

	return result < 0 ? result : ensure(context, ARRAY_CALL_SITES, index);
}

/* Index of the function with this key in the lane's table. 0: no room; nobody reads the
 * histogram of entry 0. */
static uint32_t function_index(struct lane_context *context, uint64_t key)
{
	uint32_t at, index;

	if (!context->function_table && make_function_table(context) < 0)
		return 0;
	at = tree_hash(0, key) & context->function_mask;

	/* handlers may add what they call, but must leave the search an end */
	if (context->function_next > context->function_mask / 4 * 3)
		return 0;
	for (; context->function_table[at]; at = (at + 1) & context->function_mask) {
		if (context->functions[context->function_table[at]].key == key)
			return context->function_table[at];
	}
	if (ensure(context, ARRAY_FUNCTIONS, context->function_next) < 0)
		return 0;
	index = take_index(&context->function_next);
	context->functions[index].key = key;
	context->function_table[at] = index;
	return index;
}

/* True when there will never be room for another histogram. */
static int is_full_of_functions(const struct lane_context *context)
{
	return context->function_next + HANDLER_ENTRIES >=
	       context->lane->functions.capacity;
}

/* Fills and links a new node; the caller publishes. */
static uint32_t new_node(struct lane_context *context, uint32_t parent, uint64_t key)
{
	struct segment_node *node;
	uint32_t index, function = 0, *head;

	if (__atomic_fetch_add(&process->path_count, 1, __ATOMIC_RELAXED) >=
	    process_facts.path_limit)
		return 0;
	if (ensure_node(context, context->node_next) < 0)
		return 0;
	if (!(key & SEGMENT_KEY_RETURN_ADDRESS)) {
		function = function_index(context, key);
		if (!function && !is_full_of_functions(context))
			return 0;
		context->lane->unlisted_path_count += !function;
	}
	index = take_index(&context->node_next);
	node = &context->nodes[index];
	node->min_ticks = UINT64_MAX;
	node->parent = parent;
	node->function = function;
	node->key = key;
	head = chain_for(context, parent, key, context->buckets, context->bucket_mask);
	node->hash_next = *head;
	*head = index;
	return index;
}

static void publish(struct lane_context *context)
{
	arrays_publish(&context->lane->functions, context->function_next);
	arrays_publish(&context->lane->call_sites, context->node_next);
	arrays_publish(&context->lane->nodes, context->node_next);
}

/* Publishes what handlers added while the interrupted code had nothing new, or had just
 * published. A handler that comes now publishes itself; our older count may overwrite its
 * own, so we look again. */
static void publish_handlers(struct lane_context *context)
{
	order_stores();
	while (unlikely(context->lane->nodes.count != context->node_next ||
			context->lane->functions.count != context->function_next)) {
		publish(context);
		order_stores();
	}
}

static uint32_t find_in_chain(const struct lane_context *context, uint32_t index,
			      uint32_t parent, uint64_t key, uint32_t unwanted)
{
	while (index && (context->nodes[index].key != key ||
			 context->nodes[index].parent != parent ||
			 context->nodes[index].unfinished & unwanted))
		index = context->nodes[index].hash_next;
	return index;
}

/* unwanted: in segment_node.unfinished. */
static uint32_t find_node_but(const struct lane_context *context, uint32_t parent,
			      uint64_t key, uint32_t unwanted)
{
	uint32_t mask = context->bucket_mask, index = 0;

	if (unlikely(is_wide(context, parent)))
		index = context->buckets[wide_bucket_of(parent, key, mask)];
	index = find_in_chain(context, index, parent, key, unwanted);
	if (likely(!index))
		index = find_in_chain(context,
				      context->buckets[bucket_of(parent, key, mask)],
				      parent, key, unwanted);
	return index;
}

static uint32_t find_node(const struct lane_context *context, uint32_t parent,
			  uint64_t key)
{
	return find_node_but(context, parent, key, SEGMENT_NODE_DETOUR);
}

static void grow_tables(struct lane_context *context)
{
	if (context->node_next > context->bucket_mask)
		grow_buckets(context);
	if (context->function_table &&
	    context->function_next * 2 > context->function_mask)
		grow_function_table(context);
}

static int is_function(uint64_t key)
{
	return !(key & (SEGMENT_KEY_RETURN_ADDRESS | SEGMENT_KEY_REGION));
}

static void remember(struct lane_context *context, uint32_t index, uint32_t parent,
		     uint64_t key)
{
	uint32_t *front = &context->front[tree_place(parent, key)];

	if (!index || *front == index || (trigger_count && trigger_find(key)) ||
	    (tree_notes_ways() && is_function(key)))
		return;
	context->front[tree_other_place(tree_place(parent, key))] = *front;
	/* sequentially consistent: another thread may have started ways and cleared this
	 * table just before the store */
	__atomic_store_n(front, index, __ATOMIC_SEQ_CST);
	if (is_function(key) && tree_notes_ways())
		*front = 0;
}

uint32_t cold tree_find(struct lane_context *context, uint32_t parent, uint64_t key)
{
	uint32_t index = find_node(context, parent, key);

	remember(context, index, parent, key);
	return index;
}

/* The index of the child; *ret_new: it was made. 0: no room. */
static uint32_t find_or_add(struct lane_context *context, uint32_t parent, uint64_t key,
			    int *ret_new)
{
	uint32_t index = find_node(context, parent, key);

	if (!index && upcalls.note_module(key & SEGMENT_KEY_ADDRESS_MASK))
		index = find_node(context, parent, key);
	*ret_new = !index;
	if (!index)
		index = new_node(context, parent, key);
	remember(context, index, parent, key);
	return index;
}

/* Returns whether this is the outermost insertion; pass that to end_work(). */
static inline int begin_work(struct lane_context *context, uintptr_t stack)
{
	return busy_take(context, BUSY_TREE, stack);
}

static void end_work(struct lane_context *context, int is_outermost, int is_new)
{
	if (!is_outermost)
		return;
	if (is_new) {
		publish(context);
		grow_tables(context);
	}
	busy_give(context, BUSY_TREE);
	publish_handlers(context);
}

uint32_t cold tree_child_slow(struct lane_context *context, uint32_t parent, uint64_t key)
{
	int is_outermost = begin_work(context, (uintptr_t)__builtin_frame_address(0));
	int is_new;
	uint32_t index = find_or_add(context, parent, key, &is_new);

	end_work(context, is_outermost, is_new);
	return index;
}

uint32_t cold tree_find_any(const struct lane_context *context, uint32_t parent,
			    uint64_t key)
{
	return find_node_but(context, parent, key, 0);
}

uint32_t cold tree_level(struct lane_context *context, uint32_t below, uint64_t address)
{
	uint64_t key = address | SEGMENT_KEY_LEVEL;
	uint32_t index = find_node(context, below, key);
	int is_outermost;

	if (index)
		return index;
	is_outermost = begin_work(context, (uintptr_t)__builtin_frame_address(0));
	if (upcalls.note_module(address))
		index = find_node(context, below, key);
	if (!index)
		index = new_node(context, below, key);
	end_work(context, is_outermost, 1);
	return index;
}

/* Publishes both nodes at once, so a reader never sees the node without its arrival. A
 * handler that comes the same way in between makes its own. */
uint32_t cold tree_arrive(struct lane_context *context, uint32_t parent, uint64_t key,
			  uint32_t below)
{
	uint32_t arrival = find_node(context, below, key | SEGMENT_KEY_LEVEL), index = 0;
	int is_outermost;

	if (arrival && context->nodes[arrival].call_count)
		return (uint32_t)context->nodes[arrival].call_count;
	is_outermost = begin_work(context, (uintptr_t)__builtin_frame_address(0));
	upcalls.note_module(key & SEGMENT_KEY_ADDRESS_MASK);
	if (!arrival)
		arrival = new_node(context, below, key | SEGMENT_KEY_LEVEL);
	if (arrival)
		index = new_node(context, parent, key);
	if (index) {
		context->nodes[index].unfinished |= SEGMENT_NODE_DETOUR;
		context->nodes[arrival].call_count = index;
	}
	end_work(context, is_outermost, 1);
	return index;
}

/* Fills nodes that were taken but not written, and that no call reaches: readers would
 * report them as damaged. */
void tree_abandon(struct lane_context *context)
{
	uint32_t node = context->lane->nodes.count;

	for (; node < context->node_next; node++) {
		struct segment_node *at = &context->nodes[node];

		if (at->parent && at->key)
			continue;
		at->parent = LANE_ROOT;
		at->key = SEGMENT_KEY_LEVEL;
	}
	publish(context);
}

void tree_reserve(struct lane_context *context)
{
	uint32_t nodes = context->node_next + RESERVED_NODES;
	uint32_t functions = context->function_next + RESERVED_FUNCTIONS;

	ensure_node(context, nodes);
	ensure(context, ARRAY_FUNCTIONS, functions);
	if (context->busy[BUSY_TREE])
		return; /* the insertion we interrupt may be about to use the tables */
	while (context->bucket_mask < nodes) {
		uint32_t before = context->bucket_mask;

		grow_buckets(context);
		if (context->bucket_mask == before)
			break;
	}
	if (!context->function_table && make_function_table(context) < 0)
		return;
	while (context->function_mask / 2 < functions) {
		uint32_t before = context->function_mask;

		grow_function_table(context);
		if (context->function_mask == before)
			break;
	}
}

static void forget_wide(struct lane_context *context)
{
	for (uint32_t i = 0; i < 4; i++)
		context->wide_parents[i] = 0;
}

int tree_begin(struct lane_context *context)
{
	forget_wide(context);
	context->function_table = process_map(FIRST_FUNCTIONS * sizeof(uint32_t), 0);
	if (!context->function_table)
		return -ENOMEM;
	context->buckets = context->first_buckets;
	context->bucket_mask = LANE_FIRST_BUCKETS - 1;
	context->function_mask = FIRST_FUNCTIONS - 1;
	if (ensure_node(context, LANE_ROOT) < 0 ||
	    ensure(context, ARRAY_FUNCTIONS, 1) < 0)
		return -ENOSPC;
	context->node_next = LANE_ROOT + 1;
	context->function_next = 1;
	context->current = LANE_ROOT;
	context->nodes[LANE_ROOT].min_ticks = UINT64_MAX;
	publish(context);
	return 0;
}

_Static_assert(offsetof(struct lane_context, spans.marks) <= PAGE_BYTES,
	       "what a forked child writes first is on one page");

/* Builds the table as grow_buckets() left it. The chains come out the same, so nodes are
 * not written, except children of parents that have become wide since. */
int tree_resume(struct lane_context *context)
{
	const struct segment_lane *lane = context->lane;
	uint32_t mask = LANE_FIRST_BUCKETS - 1;

	forget_wide(context);
	process_populate(context, offsetof(struct lane_context, lock_heads));
	context->node_next = lane->nodes.count;
	context->function_next = lane->functions.count;
	context->current = LANE_ROOT;
	while (context->node_next > mask)
		mask = mask * 2 + 1;
	context->buckets = mask < LANE_FIRST_BUCKETS
				   ? context->first_buckets
				   : process_map((mask + 1ull) * sizeof(uint32_t), 0);
	if (!context->buckets)
		return -ENOMEM;
	context->bucket_mask = mask;
	process->path_count = context->node_next;
	for (uint32_t i = LANE_ROOT + 1; i < context->node_next; i++) {
		struct segment_node *node = &context->nodes[i];
		uint32_t *head = chain_for(context, node->parent, plain_key(node->key),
					   context->buckets, mask);

		if (node->hash_next != *head)
			node->hash_next = *head;
		*head = i;
	}
	return 0;
}

void tree_end(struct lane_context *context)
{
	unmap_buckets(context, context->buckets, context->bucket_mask + 1);
	for (uint32_t i = 0; i < LANE_FIRST_BUCKETS; i++)
		context->first_buckets[i] = 0;
	process_unmap(context->function_table,
		      (context->function_mask + 1ull) * sizeof(uint32_t));
	context->buckets = NULL;
	context->function_table = NULL;
}
