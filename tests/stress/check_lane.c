/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what must hold in a lane: its call tree, its functions, its open frames.
 * Runs on:       tests.
 * Must not:      need anything but the lane's slot and its process's sites.
 * See also:      tests/stress/check.h; shim/lane/tree.c, calls.c
 */
#include <stdlib.h>

#include "common/segment_recording.h"
#include "tests/stress/check.h"

#define KEY_FUNCTION(key) ((key) & ~SEGMENT_KEY_RETURN_ADDRESS & SEGMENT_KEY_ADDRESS_MASK)

/* A lane and what the file says of its size, clipped once. */
struct lane_view {
	uint32_t slot;
	const struct segment_lane *lane;
	const struct segment_node *nodes;
	const struct segment_function *functions;
	const struct segment_frame *frames;
	uint32_t node_count, function_count, depth;
	uint64_t *calls, *open; /* by function */
};

static int fits(const struct check *check, uint64_t offset, uint64_t count, uint64_t size)
{
	return offset <= check->slot_size && count <= (check->slot_size - offset) / size;
}

static int begin(struct check *check, uint32_t slot, struct lane_view *view)
{
	const struct segment_lane *lane = check_lane_at(check, slot);

	if (!lane)
		return 0;
	*view = (struct lane_view){
		.slot = slot,
		.lane = lane,
		.node_count = __atomic_load_n(&lane->nodes.count, __ATOMIC_ACQUIRE),
		.function_count =
			__atomic_load_n(&lane->functions.count, __ATOMIC_ACQUIRE),
		.depth = __atomic_load_n(&lane->frames.count, __ATOMIC_ACQUIRE),
	};
	if (!check_that(check,
			view->node_count <= lane->nodes.capacity &&
				fits(check, lane->nodes.offset, lane->nodes.capacity,
				     sizeof(*view->nodes)),
			"lane %u: nodes do not fit", slot) ||
	    !check_that(check,
			view->function_count <= lane->functions.capacity &&
				fits(check, lane->functions.offset,
				     lane->functions.capacity, sizeof(*view->functions)),
			"lane %u: functions do not fit", slot) ||
	    !check_that(check,
			view->depth <= lane->frames.capacity &&
				fits(check, lane->frames.offset, lane->frames.capacity,
				     sizeof(*view->frames)),
			"lane %u: frames do not fit", slot))
		return 0;
	view->nodes = (const void *)((const char *)lane + lane->nodes.offset);
	view->functions = (const void *)((const char *)lane + lane->functions.offset);
	view->frames = (const void *)((const char *)lane + lane->frames.offset);
	view->calls = calloc(view->function_count + 1, sizeof(*view->calls));
	view->open = calloc(view->function_count + 1, sizeof(*view->open));
	if (!view->calls || !view->open)
		abort();
	return 1;
}

/* See LEVELS in common/segment_tree.h. */
static int leads_to_its_node(const struct lane_view *view, uint32_t arrival)
{
	uint64_t to = view->nodes[arrival].call_count;
	uint32_t begin = arrival;

	while (begin > 1 && segment_key_is_level(view->nodes[begin].key))
		begin = view->nodes[begin].parent;
	return to > arrival && to < view->node_count && view->nodes[to].parent == begin &&
	       view->nodes[to].unfinished & SEGMENT_NODE_DETOUR &&
	       segment_key_address(view->nodes[to].key) ==
		       segment_key_address(view->nodes[arrival].key);
}

static void check_level(struct check *check, const struct lane_view *view, uint32_t index)
{
	const struct segment_node *node = &view->nodes[index];

	check_that(check, node->function == 0 && node->site == 0,
		   "lane %u node %u: a level with calls", view->slot, index);
	check_that(check, !node->call_count || leads_to_its_node(view, index),
		   "lane %u node %u: an arrival of no node", view->slot, index);
}

/* A parent is always made before its child: following parents ends at the root. */
static void check_node(struct check *check, const struct lane_view *view, uint32_t index)
{
	const struct segment_node *node = &view->nodes[index];
	int is_frame = (node->key & SEGMENT_KEY_RETURN_ADDRESS) != 0;

	check_that(check, node->key != 0, "lane %u node %u: no key", view->slot, index);
	check_that(check, node->parent >= 1 && node->parent < index,
		   "lane %u node %u: parent %u is not before it", view->slot, index,
		   node->parent);
	if (segment_key_is_level(node->key)) {
		check_level(check, view, index);
		return;
	}
	if (is_frame) {
		check_that(check, node->function == 0 && node->call_count == 0,
			   "lane %u node %u: an unwound frame with calls", view->slot,
			   index);
		return;
	}
	if (!check_that(
		    check, node->function >= 1 && node->function < view->function_count,
		    "lane %u node %u: no function %u", view->slot, index, node->function))
		return;
	check_that(check,
		   KEY_FUNCTION(view->functions[node->function].key) ==
			   KEY_FUNCTION(node->key),
		   "lane %u node %u: function %u has another key", view->slot, index,
		   node->function);
	view->calls[node->function] +=
		node->call_count - segment_node_unfinished_count(node);
	if (!check->is_quiet)
		return;
	check_that(check, segment_node_unfinished_count(node) <= node->call_count,
		   "lane %u node %u: more unfinished than begun", view->slot, index);
	check_that(check,
		   node->min_ticks == UINT64_MAX || node->min_ticks <= node->max_ticks,
		   "lane %u node %u: min above max", view->slot, index);
}

/* The sites of a process start behind those of its parent. */
static void check_node_site(struct check *check, const struct lane_view *view,
			    uint32_t index)
{
	const struct segment_process *process =
		check_process_at(check, view->lane->process_slot);
	uint32_t number = view->nodes[index].site;
	const struct segment_site *site;

	if (!number || !process)
		return;
	site = check_sites_at(check, view->lane->process_slot);
	if (!site)
		return;
	if (!check_that(check,
			number >= process->sites.first && number < process->sites.count &&
				number < process->sites.capacity,
			"lane %u node %u: no site %u", view->slot, index, number))
		return;
	check_that(check,
		   site[number].node == index && site[number].lane_slot == view->slot,
		   "lane %u node %u: site %u belongs to node %u of lane %u", view->slot,
		   index, number, site[number].node, site[number].lane_slot);
}

/* The node of this function at a node or above it, which a call without a node of its own
 * was merged into (shim/lane/frames.h); 0: it was folded. */
static uint32_t merged_into(const struct lane_view *view, uint32_t node,
			    uint64_t function)
{
	while (node > 1 && node < view->node_count && view->nodes[node].key != function)
		node = view->nodes[node].parent < node ? view->nodes[node].parent : 0;
	return node > 1 && node < view->node_count ? node : 0;
}

/* Each frame hangs below the one that it was called from, the first below the root. */
static void check_frames(struct check *check, const struct lane_view *view,
			 uint32_t first, uint32_t depth)
{
	uint32_t current = 1;

	for (uint32_t i = first; i < first + depth; i++) {
		const struct segment_frame *frame = &view->frames[i];
		const struct segment_node *node = &view->nodes[frame->node];

		check_that(check, frame->parent_node == current,
			   "lane %u frame %u: called from node %u, not %u", view->slot, i,
			   frame->parent_node, current);
		if (!frame->node) {
			uint32_t into = merged_into(view, current, frame->function);

			if (into && view->nodes[into].function < view->function_count)
				view->open[view->nodes[into].function]++;
			current = into ? into : current;
			continue;
		}
		if (!check_that(check, frame->node < view->node_count,
				"lane %u frame %u: no node %u", view->slot, i,
				frame->node))
			return;
		check_that(check, node->parent == frame->parent_node,
			   "lane %u frame %u: node %u is no child of node %u", view->slot,
			   i, frame->node, frame->parent_node);
		if (!segment_frame_is_inherited(frame) &&
		    node->function < view->function_count)
			view->open[node->function]++;
		current = frame->node;
	}
}

/* The stacks of coroutines have their frames elsewhere in the same array. */
static void check_fibers(struct check *check, const struct lane_view *view)
{
	const struct segment_lane *lane = view->lane;
	const struct segment_fiber *fibers =
		(const void *)((const char *)lane + lane->fibers.offset);

	if (!check_that(check,
			lane->fibers.count <= lane->fibers.capacity &&
				fits(check, lane->fibers.offset, lane->fibers.capacity,
				     sizeof(*fibers)),
			"lane %u: stacks do not fit", view->slot))
		return;
	for (uint32_t i = 0; i < lane->fibers.count; i++) {
		const struct segment_fiber *fiber = &fibers[i];

		check_that(check, fiber->in_use || !fiber->depth,
			   "lane %u stack %u: %u frames are open and nobody there",
			   view->slot, i, fiber->depth);
		if (check_that(check,
			       fiber->depth <= fiber->frame_capacity &&
				       fiber->first_frame <= lane->frames.capacity &&
				       fiber->frame_capacity <=
					       lane->frames.capacity - fiber->first_frame,
			       "lane %u stack %u: frames do not fit", view->slot, i))
			check_frames(check, view, fiber->first_frame, fiber->depth);
	}
}

static uint64_t finished(const struct segment_function *function)
{
	uint64_t sum = (uint64_t)function->overflow_count << 32;

	for (int i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		sum += function->histogram[i];
	return sum;
}

/* Begun = finished + open + unfinished, for each function. */
static void check_functions(struct check *check, const struct lane_view *view)
{
	for (uint32_t i = 1; i < view->function_count; i++) {
		const struct segment_function *function = &view->functions[i];

		check_that(check, function->key && !(function->key >> 63),
			   "lane %u function %u: no key", view->slot, i);
		if (!check->is_quiet)
			continue;
		check_that(check, view->calls[i] == finished(function) + view->open[i],
			   "lane %u function %u: %llu calls, but %llu finished and %llu "
			   "open",
			   view->slot, i, (unsigned long long)view->calls[i],
			   (unsigned long long)finished(function),
			   (unsigned long long)view->open[i]);
	}
}

/* What is only counted: see segment_recording.h. */
static void check_counts(struct check *check, const struct lane_view *view)
{
	const struct segment_lane *lane = view->lane;
	const struct segment_process *process =
		check_process_at(check, lane->process_slot);
	const struct segment_mode *modes;
	uint32_t mode_count;

	if (!process ||
	    !check_that(check,
			fits(check, lane->counts.offset, lane->counts.capacity,
			     sizeof(struct segment_count)) &&
				fits(check, process->modes.offset,
				     process->modes.capacity, sizeof(*modes)),
			"lane %u: counts do not fit", view->slot))
		return;
	check_that(check, lane->counts.count <= lane->counts.capacity,
		   "lane %u: more counts than there is room for", view->slot);
	modes = (const void *)((const char *)process + process->modes.offset);
	mode_count = __atomic_load_n(&process->modes.count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 1; i < mode_count && i < process->modes.capacity; i++) {
		check_that(check,
			   modes[i].key && modes[i].recording <= SEGMENT_RECORDING_OFF &&
				   modes[i].least <= SEGMENT_RECORDING_OFF &&
				   modes[i].least >= modes[i].recording,
			   "process %u: no way of recording of function %u",
			   lane->process_slot, i);
	}
}

void check_lane(struct check *check, uint32_t slot)
{
	struct lane_view view;

	if (!begin(check, slot, &view))
		return;
	check_that(check,
		   view.node_count >= 2 && !view.nodes[1].parent && !view.nodes[1].key,
		   "lane %u: the root is no root", slot);
	for (uint32_t i = 2; i < view.node_count; i++) {
		check_node(check, &view, i);
		check_node_site(check, &view, i);
	}
	if (check->is_quiet) {
		check_frames(check, &view, 0, view.depth);
		check_fibers(check, &view);
		check_that(check, view.lane->in_use || !view.depth,
			   "lane %u: %u frames are open and nobody there", slot,
			   view.depth);
	}
	check_functions(check, &view);
	check_counts(check, &view);
	free(view.calls);
	free(view.open);
}
