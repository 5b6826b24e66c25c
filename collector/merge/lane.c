/* SPDX-License-Identifier: MIT */
/*
 * Adds one lane's nodes, open frames and histograms to the merged tree. Must not follow
 * an index before it was compared with its count.
 */
#include "collector/merge/place.h"

#include <stdlib.h>

#include "common/base/xalloc.h"
#include "collector/read/segment_file.h"

/* Adds what the nodes did between snapshots. */
static void add_changes(struct lane_walk *walk)
{
	struct merge *merge = walk->merge;
	uint32_t lane_slot = merge->run->lanes[walk->lane].slot;

	if (!merge->merged_sites[walk->process_index])
		return;
	for (uint32_t i = LANE_ROOT + 1; i < walk->data.node_count; i++) {
		struct change_end own;

		if (!walk->nodes[i].is_placed || walk->nodes[i].is_folded ||
		    !walk->nodes[i].path || place_is_return_address(&walk->data.nodes[i]))
			continue;
		own = waits_of_node(walk, i);
		changes_add_node(merge, walk->process_index, lane_slot, i,
				 &(struct change_place){walk->nodes[i].path,
							walk->nodes[i].owner,
							walk->nodes[i].is_nested},
				 &own);
	}
}

static void add_extremes(struct merge *merge, uint32_t path, uint64_t min_ticks,
			 uint64_t max_ticks)
{
	struct merge_path *row = &merge->paths[path];
	int64_t min_ns = merge_call_ns(merge, (double)min_ticks);
	int64_t max_ns = merge_call_ns(merge, (double)max_ticks);

	if (row->min_ns == QUANTITY_UNKNOWN || min_ns < row->min_ns)
		row->min_ns = min_ns;
	if (max_ns > row->max_ns)
		row->max_ns = max_ns;
}

/* Several nodes may be one path (calls from a caller without a frame, for instance). If
 * the compiler inlined only some of them, the first decides for all, as within one node.
 */
static void add_nodes(struct lane_walk *walk)
{
	struct merge *merge = walk->merge;

	for (uint32_t i = LANE_ROOT + 1; i < walk->data.node_count; i++) {
		const struct segment_node *node = &walk->data.nodes[i];
		struct merge_cell *cell;
		int is_copy;

		if (!walk->nodes[i].is_placed || walk->nodes[i].is_folded)
			continue;
		cell = merge_touch(merge, walk->nodes[i].path);
		if (place_is_return_address(node))
			continue;
		merge->paths[walk->nodes[i].path].has_folded |=
			(node->unfinished & SEGMENT_NODE_FOLDED) != 0;
		count_add(segment_key_is_libc(node->key) ? &merge->libc_call_count
							 : &merge->call_count,
			  node->call_count);
		if (walk->nodes[i].is_nested) {
			quantity_add(&cell->nested_calls,
				     quantity_of_count(node->call_count));
			count_add(&merge->nested_call_count, node->call_count);
			continue;
		}
		is_copy = cell->calls ? cell->inlined_calls > 0
				      : segment_node_is_inlined(node);
		quantity_add(&cell->calls, quantity_of_count(node->call_count));
		if (is_copy)
			quantity_add(&cell->inlined_calls,
				     quantity_of_count(node->call_count));
		quantity_add(&cell->unwound_count,
			     quantity_of_count(segment_node_unfinished_count(node)));
		count_add(&cell->total_ticks, node->total_ticks);
		place_pass(walk, i, node->call_count, node->total_ticks);
		if (node->min_ticks <= node->max_ticks)
			add_extremes(merge, walk->nodes[i].path, node->min_ticks,
				     node->max_ticks);
	}
}

/* An inherited frame began in the parent process, so it is no call of this one. */
static void close_frame(void *context, const struct open_frame *open)
{
	struct lane_walk *walk = context;
	const struct segment_frame *frame = open->frame;
	struct merge *merge = walk->merge;
	const struct node_place *place;
	struct merge_function *function;
	uint64_t ticks;

	merge->open_frame_count++;
	/* folded or not read: its caller gets the time */
	if (frame->node <= LANE_ROOT || place_is_cut(walk, frame->node))
		return;
	if (frame->node >= walk->data.node_count || !walk->nodes[frame->node].is_placed ||
	    place_is_return_address(&walk->data.nodes[frame->node])) {
		merge->damaged_count++;
		return;
	}
	place = &walk->nodes[frame->node];
	if (frame->start_ticks >= open->end_ticks || place->is_folded || place->is_nested)
		return;
	ticks = open->end_ticks - frame->start_ticks;
	count_add(&merge_touch(merge, place->path)->total_ticks, ticks);
	place_pass(walk, frame->node, 0, ticks);
	if (walk->end->is_alive || segment_frame_is_inherited(frame))
		return;
	add_extremes(merge, place->path, ticks, ticks);
	function = merge_function_at(merge, merge->paths[place->path].function);
	histogram_add(&merge->pool, &function->histogram, segment_histogram_bucket(ticks),
		      1);
}

/* Adds, of a variant, the share of its calls that are calls of the function. Nobody knows
 * which of them took how long. */
static void add_histogram(struct lane_walk *walk, const struct variant_list *variants,
			  const struct segment_function *from, uint32_t function)
{
	struct histogram *to = &merge_function_at(walk->merge, function)->histogram;
	const struct variant_count *count = NULL;
	uint64_t part = 1, whole = 1;

	if (walk->merge->identify.functions[function].variant)
		count = variants_at(variants, function,
				    identify_variant(&walk->merge->identify,
						     walk->modules, from->key));
	if (count && count->nested_count) {
		part = count->entry_count - count->nested_count;
		whole = count->entry_count;
	}
	histogram_add_part(&walk->merge->pool, to, from, part, whole);
}

static void add_histograms(struct lane_walk *walk, const struct variant_list *variants)
{
	struct merge *merge = walk->merge;

	for (uint32_t i = 1; i < walk->data.function_count; i++) {
		const struct segment_function *from = &walk->data.functions[i];
		uint32_t function;

		if (!from->key)
			continue;
		function = identify_function(&merge->identify, walk->modules, from->key);
		add_histogram(walk, variants, from, function);
	}
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Regions that the program did not end are reported separately. A libc call that was
 * cancelled or left by a jump is no repair. */
static void add_repairs(struct lane_walk *walk)
{
	uint64_t repaired = walk->data.header.repaired_frame_count;
	uint64_t regions = 0, calls = 0;

	for (uint32_t i = 0; i < walk->data.node_count; i++) {
		const struct segment_node *node = &walk->data.nodes[i];

		if (segment_key_is_libc(node->key))
			count_add(&calls, segment_node_unfinished_count(node));
		else if (segment_key_is_region(node->key))
			count_add(&regions, segment_node_unfinished_count(node));
	}
	repaired -= lesser(calls, repaired);
	regions = lesser(regions, repaired);
	count_add(&walk->merge->unended_region_count, regions);
	count_add(&walk->merge->repaired_frame_count, repaired - regions);
}

static void add_losses(struct lane_walk *walk)
{
	const struct segment_lane *header = &walk->data.header;
	struct merge *merge = walk->merge;

	add_repairs(walk);
	count_add(&merge->open_frame_count, header->closed_frame_count);
	count_add(&merge->folded_call_count, header->folded_call_count);
	count_add(&merge->folded_call_count, walk->data.cut_node_count);
#define ADD(name) count_add(&merge->name, header->name);
	MERGE_LANE_SUMS(ADD)
}

/* Finding a stack does not take this long; a larger number is damaged and counts as 0. */
#define STACK_NS_MOST 1e5

/* The mean time to find a stack, per allocation of the lane. Its cells are filled. */
static double stack_ns_of(const struct merge *merge, const struct segment_lane *header)
{
	double slow = (double)header->slow_stack_count, allocs = 0, mean;

	for (size_t i = 0; i < merge->touched_count; i++)
		allocs += (double)merge->cells[merge->touched[i]].alloc_count;
	if (!header->timed_stack_count || !(allocs >= 1))
		return 0;
	mean = (double)header->timed_stack_ticks / (double)header->timed_stack_count *
	       merge->ticks->ns_per_tick;
	if (!(mean > 0 && mean < STACK_NS_MOST))
		return 0;
	return slow < allocs ? mean * slow / allocs : mean;
}

/* Moves the counts of calls without frames to the caller. */
static void take_counts(struct lane_walk *walk, struct lane_counts *ret)
{
	struct read_lane_data *data = &walk->data;

	ret->counts = data->counts;
	ret->count_count = data->count_count;
	ret->stack_ns = stack_ns_of(walk->merge, &data->header);
	data->counts = NULL;
}

static uint32_t highest_target(const struct read_lane_data *data)
{
	uint32_t highest = 0;

	for (uint32_t i = 1; i < data->transfer_count; i++)
		if (data->transfers[i].target > highest)
			highest = data->transfers[i].target;
	return highest;
}

/* A living process may have added to its slot between the reading of the slot and of the
 * lane. New targets are read again; counts of new modes are left to the next look. */
static void catch_up(struct lane_walk *walk)
{
	const struct read_run *run = walk->merge->run;
	struct read_process *process = &run->processes[walk->process_index];
	struct read_lane_data *data = &walk->data;
	struct segment_reader reader;
	uint32_t highest = highest_target(data), mode_count;

	if ((!highest || highest < process->target_count) &&
	    data->count_count <= process->mode_count)
		return;
	if (read_open_file(run, process->file, &reader) < 0)
		return;
	mode_count = read_process_again(process, &reader);
	segment_reader_close(&reader);
	if (data->count_count > process->mode_count && data->count_count <= mode_count)
		data->count_count = process->mode_count;
}

void lane_merge(struct merge *merge, uint32_t lane, const struct ending *end,
		const struct site_place *sites, size_t site_count,
		struct lane_counts *ret)
{
	const struct read_lane *from = &merge->run->lanes[lane];
	struct lane_walk walk = {.merge = merge,
				 .lane = lane,
				 .end = end,
				 .modules = &merge->modules[from->process],
				 .process_index = from->process};

	*ret = (struct lane_counts){.count_count = 0};
	if (read_lane(merge->run, from, &walk.data) < 0) {
		count_add(&merge->damaged_count, 1 + site_count);
		return;
	}
	catch_up(&walk);
	add_losses(&walk);
	place_nodes(&walk);
	add_nodes(&walk);
	open_frames_each(&walk, close_frame, &walk);
	waits_find(&walk);
	waits_add(&walk);
	merge->open_paths[lane] = waits_open_path(&walk);
	transfers_add_lane(&walk);
	sampled_add_lane(&walk);
	studies_add_lane(&walk);
	variants_find(&walk, &ret->variants);
	add_histograms(&walk, &ret->variants);
	add_changes(&walk);
	marks_add_lane(&walk);
	spans_add_lane(&walk);
	locks_add_lane(&walk);
	sites_add(&walk, sites, site_count);
	take_counts(&walk, ret);
	free(walk.nodes);
	read_lane_done(&walk.data);
}

void lane_counts_done(struct lane_counts *counts)
{
	free(counts->counts);
	variants_done(&counts->variants);
	*counts = (struct lane_counts){.count_count = 0};
}
