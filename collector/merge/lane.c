/* SPDX-License-Identifier: MIT */
/*
 * One lane's nodes, open frames, histograms and sites, added to the merged tree. Must
 * not follow an index that was not compared with its count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/merge/account.h"
#include "common/base/array.h"
#include "collector/merge/merge.h"

#define LANE_ROOT 1u

/* Where a node of the lane is in the merged tree. */
struct node_place {
	uint32_t path;
	uint32_t place;	 /* of a return address: in identify.places, of its call */
	uint32_t around; /* the node itself, or the first above that is no region */
	int is_placed;
	int is_folded; /* path is the nearest ancestor's: no room for its own */
};

struct lane_walk {
	struct merge *merge;
	struct read_lane_data data;
	struct identify_process *process;
	struct node_place *nodes; /* parallel to data.nodes */
	uint32_t lane;
	uint32_t process_index;
};

static int is_return_address(const struct segment_node *node)
{
	return (node->key & SEGMENT_KEY_RETURN_ADDRESS) != 0;
}

/* Do both names stand for one function? The compiler's copies of f are called f.part.0
 * or f.constprop.0; a constructor has several linkage names. */
static int is_same_function(const struct identify_function *a,
			    const struct identify_function *b)
{
	size_t length = strcspn(a->name, ".");

	return a->module == b->module && length == strcspn(b->name, ".") &&
	       memcmp(a->name, b->name, length) == 0;
}

/* The place, among those inlined at one address, that lies in the function itself. */
static uint32_t place_in(const struct identify *identify, uint32_t function,
			 uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		if (identify->places[i].function == function)
			return i;
	}
	for (uint32_t i = first; i < first + count; i++) {
		uint32_t other = identify->places[i].function;

		if (is_same_function(&identify->functions[other],
				     &identify->functions[function]))
			return i;
	}
	return first;
}

/* A frame seen by unwinding: each function inlined at the address is a path. */
static int place_frames(struct lane_walk *walk, struct node_place *node, uint32_t parent,
			uint32_t first, uint32_t count)
{
	node->path = parent;
	node->place = first;
	for (uint32_t i = first + count; i-- > first;) {
		uint32_t function = walk->merge->identify.places[i].function;
		int result;

		if (!merge_has_room(walk->merge, node->path, function, MERGE_FRAME)) {
			merge_add(&walk->merge->folded_call_count, 1);
			return 0;
		}
		result = merge_child_path(walk->merge, node->path, function, MERGE_FRAME,
					  &node->path);
		if (result < 0)
			return result;
	}
	return 0;
}

static int place_return_address(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	const struct node_place *parent = &walk->nodes[node->parent];
	struct node_place *place = &walk->nodes[index];
	struct identify *identify = &walk->merge->identify;
	uint32_t first, count, around;
	int result;

	result = identify_places(identify, walk->process, node->key, &first, &count);
	if (result < 0)
		return result;
	around = parent->around;
	if (around == LANE_ROOT || is_return_address(&walk->data.nodes[node->parent]))
		return place_frames(walk, place, parent->path, first, count);
	place->path = parent->path;
	place->place =
		place_in(identify, walk->merge->paths[walk->nodes[around].path].function,
			 first, count);
	return 0;
}

/* Calls of a node for which there is no room are counted, their time stays with the
 * caller, and its sites are the nearest ancestor's. */
static void fold_node(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	struct node_place *place = &walk->nodes[index];

	place->path = walk->nodes[node->parent].path;
	place->place = IDENTIFY_NONE;
	place->is_folded = 1;
	merge_add(&walk->merge->folded_call_count,
		  node->call_count ? node->call_count : 1);
}

static int place_function(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	struct node_place *place = &walk->nodes[index];
	enum merge_kind kind =
		segment_key_is_region(node->key) ? MERGE_REGION : MERGE_FUNCTION;
	uint32_t parent = walk->nodes[node->parent].path, function;
	int result;

	result = identify_function(&walk->merge->identify, walk->process, node->key,
				   &function);
	if (result < 0)
		return result;
	place->place = IDENTIFY_NONE;
	if (!merge_has_room(walk->merge, parent, function, kind)) {
		fold_node(walk, index);
		return 0;
	}
	return merge_child_path(walk->merge, parent, function, kind, &place->path);
}

static int place_node(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	const struct merge *merge = walk->merge;

	if (walk->nodes[node->parent].is_folded ||
	    merge->identify.function_count >= merge->path_limit ||
	    merge->identify.place_count >= merge->path_limit) {
		fold_node(walk, index);
		return 0;
	}
	return is_return_address(node) ? place_return_address(walk, index)
				       : place_function(walk, index);
}

/* A parent comes before its children: that alone keeps damaged trees from circles. */
static int place_nodes(struct lane_walk *walk)
{
	int result = 0;

	if (walk->data.node_count > LANE_ROOT)
		walk->nodes[LANE_ROOT] =
			(struct node_place){0, IDENTIFY_NONE, LANE_ROOT, 1, 0};
	for (uint32_t i = LANE_ROOT + 1; i < walk->data.node_count && result == 0; i++) {
		const struct segment_node *node = &walk->data.nodes[i];

		if (node->parent >= i || !walk->nodes[node->parent].is_placed) {
			walk->merge->damaged_count++;
			continue;
		}
		result = place_node(walk, i);
		walk->nodes[i].around = segment_key_is_region(node->key)
						? walk->nodes[node->parent].around
						: i;
		walk->nodes[i].is_placed = 1;
	}
	return result;
}

/* What the nodes did between snapshots. */
static int add_changes(struct lane_walk *walk)
{
	struct merge *merge = walk->merge;
	uint32_t lane_slot = merge->run->lanes[walk->lane].slot;
	int result = 0;

	if (!merge->merged_sites[walk->process_index])
		return 0;
	for (uint32_t i = LANE_ROOT + 1; i < walk->data.node_count && result == 0; i++) {
		if (walk->nodes[i].is_placed && !walk->nodes[i].is_folded &&
		    walk->nodes[i].path && !is_return_address(&walk->data.nodes[i]))
			result = changes_add_node(&merge->changes, merge->run,
						  walk->process_index, lane_slot, i,
						  walk->nodes[i].path);
	}
	return result;
}

static void add_extremes(struct merge *merge, uint32_t path, uint64_t min_ticks,
			 uint64_t max_ticks)
{
	struct merge_path *row = &merge->paths[path];
	int64_t min_ns = account_call_ns(merge, (double)min_ticks);
	int64_t max_ns = account_call_ns(merge, (double)max_ticks);

	if (row->min_ns == QUANTITY_UNKNOWN || min_ns < row->min_ns)
		row->min_ns = min_ns;
	if (max_ns > row->max_ns)
		row->max_ns = max_ns;
}

static void add_nodes(struct lane_walk *walk)
{
	struct merge *merge = walk->merge;

	for (uint32_t i = LANE_ROOT + 1; i < walk->data.node_count; i++) {
		const struct segment_node *node = &walk->data.nodes[i];
		struct merge_cell *cell;

		if (!walk->nodes[i].is_placed || walk->nodes[i].is_folded)
			continue;
		cell = merge_touch(merge, walk->nodes[i].path);
		if (is_return_address(node))
			continue;
		quantity_add(&cell->calls, quantity_of_count(node->call_count));
		merge_add(&cell->total_ticks, node->total_ticks);
		merge_add(&merge->call_count, node->call_count);
		if (node->min_ticks <= node->max_ticks)
			add_extremes(merge, walk->nodes[i].path, node->min_ticks,
				     node->max_ticks);
	}
}

/* A node that was not read, as the process has too many. */
static int is_cut(const struct lane_walk *walk, uint32_t node)
{
	return node >= walk->data.node_count &&
	       node - walk->data.node_count < walk->data.cut_node_count;
}

/* A frame that is open when its process ends, ends with it, or when its stack was left
 * for the last time: at end_ticks of the stack's clock. A frame without a call site
 * began in the parent process: it is no call of this one. */
static int close_frame(struct lane_walk *walk, const struct segment_frame *frame,
		       uint64_t end_ticks, int is_over)
{
	struct merge *merge = walk->merge;
	const struct node_place *place;
	struct merge_function *function;
	uint64_t ticks;

	merge->open_frame_count++;
	if (frame->node <= LANE_ROOT)
		return 0; /* folded: the caller has its time */
	if (is_cut(walk, frame->node))
		return 0; /* likewise */
	if (frame->node >= walk->data.node_count || !walk->nodes[frame->node].is_placed ||
	    is_return_address(&walk->data.nodes[frame->node])) {
		merge->damaged_count++;
		return 0;
	}
	if (frame->start_ticks >= end_ticks || walk->nodes[frame->node].is_folded)
		return 0;
	place = &walk->nodes[frame->node];
	ticks = end_ticks - frame->start_ticks;
	merge_add(&merge_touch(merge, place->path)->total_ticks, ticks);
	if (!is_over || frame->call_site == 0)
		return 0;
	add_extremes(merge, place->path, ticks, ticks);
	function = merge_function_at(merge, merge->paths[place->path].function);
	if (!function)
		return -ENOMEM;
	return histogram_add(&function->histogram, segment_histogram_bucket(ticks), 1);
}

/* The end on the clock of a stack that was suspended for so long, and left. */
static uint64_t stack_end(uint64_t end_ticks, uint64_t suspended, uint64_t left)
{
	if (left && left < end_ticks)
		end_ticks = left;
	return suspended < end_ticks ? end_ticks - suspended : 0;
}

static int close_frames(struct lane_walk *walk, const struct merge_end *end)
{
	const struct read_lane_data *data = &walk->data;
	uint64_t end_ticks = stack_end(end->end_ticks, data->header.suspended_ticks,
				       data->header.left_ticks);
	uint32_t next = data->frame_count, at = 0;
	int result = 0;

	for (uint32_t i = 0; i < data->fiber_count; i++)
		next -= data->fibers[i].depth;
	for (uint32_t i = 0; result == 0; i++) {
		for (; at < next && result == 0; at++)
			result = close_frame(walk, &data->frames[at], end_ticks,
					     end->is_over);
		if (i == data->fiber_count)
			break;
		next += data->fibers[i].depth;
		end_ticks = stack_end(end->end_ticks, data->fibers[i].suspended_ticks,
				      data->fibers[i].left_ticks);
	}
	return result;
}

static int add_histograms(struct lane_walk *walk)
{
	int result = 0;

	for (uint32_t i = 1; i < walk->data.function_count && result == 0; i++) {
		const struct segment_function *from = &walk->data.functions[i];
		struct merge_function *to;
		uint32_t function;

		if (!from->key)
			continue;
		result = identify_function(&walk->merge->identify, walk->process,
					   from->key, &function);
		if (result < 0)
			return result;
		to = merge_function_at(walk->merge, function);
		if (!to)
			return -ENOMEM;
		result = histogram_add_segment(&to->histogram, from);
	}
	return result;
}

/* The row of the source line that an allocation was made in. */
static int site_row(struct merge *merge, uint32_t path,
		    const struct identify_place *place, struct merge_site **ret)
{
	uint32_t line = place ? place->line : 0, index;
	const char *file = place ? place->file : NULL;
	uint64_t key = (uint64_t)path << 32 | line;
	struct merge_site *sites;
	int result;

	index = map_get(&merge->site_map, key, (uintptr_t)file, 0);
	if (index == MAP_NONE) {
		sites = array_room(merge->sites, merge->site_count, sizeof(*sites));
		if (!sites)
			return -ENOMEM;
		merge->sites = sites;
		index = (uint32_t)merge->site_count;
		result = map_put(&merge->site_map, key, (uintptr_t)file, 0, index);
		if (result < 0)
			return result;
		merge->site_count++;
		sites[index].path = path;
		sites[index].line = line;
		sites[index].file = file;
	}
	*ret = &merge->sites[index];
	return 0;
}

/* What a site's own numbers say; a reader of a living process may see a free before the
 * allocation that it belongs to. */
static struct merge_site sum_site(const struct segment_site *from,
				  const struct segment_left *left, int is_peak_process,
				  uint64_t peak_generation)
{
	uint64_t free_count = from->free_count, free_bytes = from->free_bytes;
	uint64_t live_count, live_bytes, at_peak_bytes = 0, at_peak_count = 0;
	uint64_t peak_bytes = from->peak_bytes, left_count, left_bytes;

	if (free_count > from->alloc_count)
		free_count = from->alloc_count;
	if (free_bytes > from->alloc_bytes)
		free_bytes = from->alloc_bytes;
	live_count = from->alloc_count - free_count;
	live_bytes = from->alloc_bytes - free_bytes;
	if (is_peak_process && from->peak_generation == peak_generation) {
		at_peak_bytes = from->at_peak_bytes;
		at_peak_count = from->at_peak_count;
	} else if (is_peak_process) {
		at_peak_bytes = live_bytes;
		at_peak_count = live_count;
	}
	if (left) {
		/* what former processes left behind counts as freed for the site alone */
		left_count = left->count < free_count ? left->count : free_count;
		left_bytes = left->bytes < free_bytes ? left->bytes : free_bytes;
		free_count -= left_count;
		free_bytes -= left_bytes;
		live_count += left_count;
		live_bytes += left_bytes;
		/* a sum over processes, like the live bytes, as far as it is known */
		if (peak_bytes < live_bytes)
			peak_bytes = live_bytes;
	}
	return (struct merge_site){
		.alloc_count = quantity_of_count(from->alloc_count),
		.alloc_bytes = quantity_of_count(from->alloc_bytes),
		.free_count = quantity_of_count(free_count),
		.free_bytes = quantity_of_count(free_bytes),
		.live_count = quantity_of_count(live_count),
		.live_bytes = quantity_of_count(live_bytes),
		.peak_bytes = quantity_of_count(peak_bytes),
		.at_peak_bytes = quantity_of_count(at_peak_bytes),
		.at_peak_count = quantity_of_count(at_peak_count),
		.temporary_count = quantity_of_count(from->temporary_count),
		.realloc_count = quantity_of_count(from->realloc_count),
		.realloc_copied_bytes = quantity_of_count(from->realloc_copied_bytes),
		.realloc_old_bytes = quantity_of_count(from->realloc_old_bytes),
		.cross_thread_free_count =
			quantity_of_count(from->cross_thread_free_count),
		.largest_bytes = quantity_of_count(from->largest_bytes),
	};
}

static void add_to_tree(struct lane_walk *walk, uint32_t path,
			const struct merge_site *sums)
{
	struct merge_cell *cell = merge_touch(walk->merge, path);
	struct merge_path *row = &walk->merge->paths[path];
	struct merge_memory *memory = &walk->merge->memory[walk->process_index];

	/* the merged path has the cell's sums at the end of the lane */
	quantities_add(QUANTITY_OF_LANE, cell->quantities, QUANTITY_OF_SITE,
		       sums->quantities, 1);
	quantity_add(&row->live_bytes, sums->live_bytes);
	quantity_add(&row->at_peak_bytes, sums->at_peak_bytes);
	merge_add(&memory->alloc_count, (uint64_t)sums->alloc_count);
	merge_add(&memory->alloc_bytes, (uint64_t)sums->alloc_bytes);
	merge_add(&memory->free_count, (uint64_t)sums->free_count);
	merge_add(&memory->free_bytes, (uint64_t)sums->free_bytes);
	merge_add(&memory->live_bytes, (uint64_t)sums->live_bytes);
}

/* The path of a site's node, 0 when its node was cut. -1: damaged. */
static int64_t site_path(const struct lane_walk *walk, uint32_t node)
{
	if (is_cut(walk, node))
		return 0;
	if (node == 0 || node >= walk->data.node_count || !walk->nodes[node].is_placed)
		return -1;
	return walk->nodes[node].path;
}

static int add_site(struct lane_walk *walk, uint32_t index)
{
	struct merge *merge = walk->merge;
	const struct read_process *process = walk->process->process;
	const struct segment_site *from = &process->sites[index];
	uint32_t *merged_sites = merge->merged_sites[walk->process_index];
	const struct identify_place *place = NULL;
	struct merge_site *row = NULL, sums;
	int64_t found = site_path(walk, from->node);
	uint32_t path = (uint32_t)found, function;
	int result = 0;

	if (found < 0) {
		merge->damaged_count++;
		return 0;
	}
	if (!path) { /* nothing was open, nothing could be unwound */
		result = identify_nowhere(&merge->identify, &function);
		if (result == 0)
			result = merge_child_path(merge, 0, function, MERGE_FRAME, &path);
	} else if (walk->nodes[from->node].place != IDENTIFY_NONE) {
		place = &merge->identify.places[walk->nodes[from->node].place];
	}
	if (result == 0)
		result = site_row(merge, path, place, &row);
	if (result < 0)
		return result;
	sums = sum_site(from, index < process->left_count ? &process->left[index] : NULL,
			walk->process_index == merge->peak_process,
			process->peak_generation);
	quantities_add(QUANTITY_OF_SITE, row->quantities, QUANTITY_OF_SITE,
		       sums.quantities, 1);
	add_to_tree(walk, path, &sums);
	if (!merged_sites)
		return 0;
	merged_sites[index] = (uint32_t)(row - merge->sites);
	return changes_add_site(&merge->changes, merge->run, walk->process_index, index,
				merged_sites[index]);
}

/* Regions that the program did not end are told by themselves. */
static void add_repairs(struct lane_walk *walk)
{
	uint64_t repaired = walk->data.header.repaired_frame_count, regions = 0;

	for (uint32_t i = 0; i < walk->data.node_count; i++) {
		const struct segment_node *node = &walk->data.nodes[i];

		if (segment_key_is_region(node->key))
			merge_add(&regions, node->unfinished_count);
	}
	if (regions > repaired)
		regions = repaired;
	merge_add(&walk->merge->unended_region_count, regions);
	merge_add(&walk->merge->repaired_frame_count, repaired - regions);
}

static int merge_walk(struct lane_walk *walk, const struct merge_end *end,
		      const uint32_t *sites, size_t site_count)
{
	int result = place_nodes(walk);

	if (result < 0)
		return result;
	add_nodes(walk);
	result = close_frames(walk, end);
	if (result == 0)
		result = add_histograms(walk);
	if (result == 0)
		result = add_changes(walk);
	if (result == 0)
		result = marks_add_lane(&walk->merge->marks, walk->process_index,
					walk->lane, walk->data.series,
					walk->data.series_count,
					&walk->merge->damaged_count);
	for (size_t i = 0; i < site_count && result == 0; i++)
		result = add_site(walk, sites[i]);
	return result < 0 ? result : account_lane(walk->merge, walk->lane);
}

int merge_lane(struct merge *merge, uint32_t lane, const struct merge_end *end,
	       const uint32_t *sites, size_t site_count)
{
	const struct read_lane *from = &merge->run->lanes[lane];
	struct lane_walk walk = {.merge = merge,
				 .lane = lane,
				 .process = &merge->processes[from->process],
				 .process_index = from->process};
	int result;

	result = read_lane(merge->run, from, &walk.data);
	if (result == -EINVAL)
		merge_add(&merge->damaged_count, 1 + site_count);
	if (result < 0)
		return result == -EINVAL ? 0 : result;
	walk.nodes = calloc(walk.data.node_count + 1ull, sizeof(*walk.nodes));
	if (walk.nodes) {
		add_repairs(&walk);
		merge_add(&merge->open_frame_count, walk.data.header.closed_frame_count);
		merge_add(&merge->orphan_exit_count, walk.data.header.orphan_exit_count);
		merge_add(&merge->orphan_region_count,
			  walk.data.header.orphan_region_count);
		merge_add(&merge->folded_call_count, walk.data.header.folded_call_count);
		merge_add(&merge->folded_call_count, walk.data.cut_node_count);
		merge_add(&merge->lost_mark_count, walk.data.header.lost_mark_count);
		result = merge_walk(&walk, end, sites, site_count);
	} else {
		result = -ENOMEM;
	}
	free(walk.nodes);
	read_lane_done(&walk.data);
	return result;
}
