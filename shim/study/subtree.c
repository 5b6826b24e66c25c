/* SPDX-License-Identifier: MIT */
/* Differences of counters, and which nodes lie below another one. */
#include "shim/study/subtree.h"

#include "common/arrays.h"
#include "shim/core/process.h"

/* New nodes that are looked at, at a time. */
#define NODES_SCANNED (1u << 16)

/* Open calls that are looked at for each path, the outermost ones. */
#define OPEN_MOST 16

/* What open calls of the node have taken so far. */
static uint64_t open_ticks(const struct lane_context *context,
			   const struct subtree_top *top, uint32_t index)
{
	const struct segment_frame *frame = top->open;
	uint64_t ticks = 0;

	for (int i = 0; i < OPEN_MOST && ++frame < context->top; i++)
		if (frame->node == index && top->now > frame->start_ticks)
			ticks += top->now - frame->start_ticks;
	return ticks;
}

static void read_node(const struct lane_context *context, const struct subtree_top *top,
		      uint32_t index, struct segment_case_part *ret)
{
	const struct segment_lane *lane = context->lane;
	const struct segment_node *node = &context->nodes[index];

	*ret = (struct segment_case_part){.node = index,
					  .call_count = node->call_count,
					  .ticks = node->total_ticks};
	if (index == top->node) {
		ret->call_count = top->call_count;
		ret->ticks = top->ticks;
	} else if (unlikely(top->open)) {
		ret->ticks += open_ticks(context, top, index);
	}
	if (node->site) {
		const struct segment_site *site =
			&process->sites[node->site + process->site_bias];

		ret->alloc_count = site->alloc_count;
		ret->alloc_bytes = site->alloc_bytes;
	}
	if (node->wait) {
		const struct segment_wait *wait = arrays_entries(lane, &lane->waits);

		ret->ready_ns = wait[node->wait].ready_ns;
		ret->blocked_ns = wait[node->wait].blocked_ns;
	}
}

static void take_off(struct segment_case_part *part, const struct segment_case_part *old)
{
	part->call_count -= old->call_count;
	/* an open call may have been left without its time */
	part->ticks = part->ticks > old->ticks ? part->ticks - old->ticks : 0;
	part->alloc_count -= old->alloc_count;
	part->alloc_bytes -= old->alloc_bytes;
	part->ready_ns -= old->ready_ns;
	part->blocked_ns -= old->blocked_ns;
}

static int is_something(const struct segment_case_part *part)
{
	return (part->call_count | part->ticks | part->alloc_count | part->ready_ns |
		part->blocked_ns) != 0;
}

static void add_part(struct subtree_parts *parts, const struct segment_case_part *part)
{
	if (!parts || !is_something(part))
		return;
	parts->ready_ns += part->ready_ns;
	if (parts->count < SUBTREE_PARTS)
		parts->all[parts->count++] = *part;
	else
		parts->folded_count++;
}

/* Parents have lower numbers than their children. */
static int is_below(struct subtree *tree, const struct lane_context *context,
		    uint32_t index)
{
	while (index > tree->node) {
		index = context->nodes[index].parent;
		tree->step_count++;
	}
	return index == tree->node;
}

/* Paths that nobody had been on when this was asked last: they had counted nothing. */
static void add_new(struct subtree *tree, const struct lane_context *context,
		    const struct subtree_top *top, struct subtree_parts *parts)
{
	uint32_t end = context->node_next;
	struct segment_case_part part;

	if (end - tree->scanned > NODES_SCANNED) {
		if (parts)
			parts->folded_count += end - tree->scanned - NODES_SCANNED;
		end = tree->scanned + NODES_SCANNED;
	}
	for (uint32_t i = tree->scanned; i < end; i++) {
		if (!is_below(tree, context, i))
			continue;
		read_node(context, top, i, &part);
		if (tree->path_count < SUBTREE_PATHS)
			tree->paths[tree->path_count++] = part;
		else
			tree->folded_count++;
		part.is_first = 1;
		add_part(parts, &part);
	}
	tree->scanned = context->node_next;
}

void subtree_ask(struct subtree *tree, const struct lane_context *context,
		 const struct subtree_top *top, struct subtree_parts *parts)
{
	if (parts)
		parts->count = 0, parts->folded_count = parts->ready_ns = 0;
	tree->step_count = 1 + tree->path_count;
	for (uint32_t i = 0; i < tree->path_count; i++) {
		struct segment_case_part *old = &tree->paths[i], now, part;

		read_node(context, top, old->node, &now);
		part = now;
		take_off(&part, old);
		part.is_first = old->call_count == 0 && now.call_count != 0;
		add_part(parts, &part);
		*old = now;
	}
	add_new(tree, context, top, parts);
	tree->call_count = top->call_count;
	tree->ticks = top->ticks;
}

void subtree_begin(struct subtree *tree, const struct lane_context *context,
		   const struct subtree_top *top, int is_first)
{
	tree->node = tree->scanned = top->node;
	tree->path_count = tree->folded_count = 0;
	tree->call_count = tree->ticks = tree->step_count = 0;
	tree->cost_ticks = 0;
	/* what is new to it has counted nothing: right for a first call */
	if (!is_first)
		subtree_ask(tree, context, top, NULL);
}

struct segment_case *keep_cases(const struct lane_context *context,
				const struct segment_study *study)
{
	const struct segment_lane *lane = context->lane;
	const struct segment_study *first = arrays_entries(lane, &lane->studies);
	struct segment_case *cases = arrays_entries(lane, &lane->cases);

	return cases + (study - first) * SEGMENT_STUDY_CASES;
}

struct segment_case *keep_slow_place(struct segment_case *cases, uint64_t ticks)
{
	struct segment_case *least = cases;

	for (uint32_t i = 0; i < SEGMENT_STUDY_SLOWEST; i++) {
		if (!cases[i].serial)
			return &cases[i];
		if (cases[i].own_ticks < least->own_ticks)
			least = &cases[i];
	}
	return ticks > least->own_ticks ? least : NULL;
}

/* How much there is to say of a part, as a power of two. A site has no time of its own:
 * an allocation is taken for so many ticks, as are so many bytes that are touched. */
#define ALLOC_TICKS 64u
#define TICK_BYTES 16u
#define WEIGHTS 64u

static uint32_t weight_of(const struct segment_case_part *part)
{
	uint64_t weight = part->ticks + part->alloc_count * ALLOC_TICKS +
			  part->alloc_bytes / TICK_BYTES;

	return 63u - (uint32_t)__builtin_clzll(weight | 1);
}

/* Those of this weight and more are all kept; *ret_more of the next lower one. */
static uint32_t lowest_weight(const struct subtree_parts *parts, uint32_t *ret_more)
{
	uint32_t counts[WEIGHTS] = {0}, sum = 0, weight = WEIGHTS;

	for (uint32_t i = 0; i < parts->count; i++)
		counts[weight_of(&parts->all[i])]++;
	while (weight && sum + counts[weight - 1] <= SEGMENT_CASE_PARTS)
		sum += counts[--weight];
	*ret_more = weight ? SEGMENT_CASE_PARTS - sum : 0;
	return weight;
}

static uint32_t copy_parts(struct segment_case_part *to,
			   const struct subtree_parts *parts)
{
	uint32_t more, lowest = lowest_weight(parts, &more), count = 0;

	for (uint32_t i = 0; i < parts->count; i++) {
		uint32_t weight = weight_of(&parts->all[i]);

		if (weight >= lowest)
			to[count++] = parts->all[i];
		else if (weight + 1 == lowest && more && more--)
			to[count++] = parts->all[i];
	}
	return count;
}

static uint64_t own_ticks(const struct keep_call *call, const struct subtree_parts *parts)
{
	uint64_t ready_ns =
		parts->ready_ns > call->ready_ns ? parts->ready_ns : call->ready_ns;
	uint64_t ready_ticks = process_ticks_of(ready_ns);

	return call->ticks > ready_ticks ? call->ticks - ready_ticks : 0;
}

/* Stores of one thread are seen in their order, by whoever maps the same page. */
void keep_write(struct segment_case *to, const struct keep_call *call,
		const struct subtree_parts *parts)
{
	uint32_t serial = to->serial | 1;

	__atomic_store_n(&to->serial, serial, __ATOMIC_RELEASE);
	__asm__ volatile("" : : : "memory");
	to->begin_ticks = call->begin_ticks;
	to->ticks = call->ticks;
	to->own_ticks = own_ticks(call, parts);
	to->number = call->number;
	to->beside_call_count = call->beside_call_count;
	to->beside_ticks = call->beside_ticks;
	to->node = call->node;
	to->is_slow = 0;
	to->part_count = copy_parts(to->parts, parts);
	to->folded_count = parts->count - to->part_count + (uint32_t)parts->folded_count;
	/* release: the reader of an even number finds all of it */
	__atomic_store_n(&to->serial, serial + 1, __ATOMIC_RELEASE);
}

void keep_slow(struct segment_study *study, struct segment_case *place,
	       const struct keep_call *call, const struct subtree_parts *parts)
{
	if (place->serial && own_ticks(call, parts) <= place->own_ticks) {
		study->ready_count++;
		study->ready_ticks += call->ticks - own_ticks(call, parts);
		return;
	}
	keep_write(place, call, parts);
	place->is_slow = 1;
}
