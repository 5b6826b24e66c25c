/* SPDX-License-Identifier: MIT */
/*
 * Adds the allocation sites of a lane to the merged tree. Must not follow an index before
 * it was compared with its count.
 */
#include "collector/merge/place.h"

#include <stdint.h>
#include <stdlib.h>

#include "collector/read/segment_file.h"
#include "common/base/xalloc.h"

static int by_lane(const void *a, const void *b)
{
	const struct site_place *left = a, *right = b;

	return ORDER_BY_3(left, right, process, lane_slot, site);
}

void sites_order(struct sites *ret, const struct read_run *run, const uint32_t *processes,
		 size_t process_count)
{
	size_t at = 0;

	*ret = (struct sites){.count = 0};
	for (size_t i = 0; i < process_count; i++)
		ret->count += run->processes[processes[i]].site_count;
	ret->all = xcalloc(ret->count, sizeof(*ret->all));
	for (size_t i = 0; i < process_count; i++) {
		const struct read_process *process = &run->processes[processes[i]];

		for (uint32_t site = 0; site < process->site_count; site++)
			ret->all[at++] = (struct site_place){
				processes[i], process->sites[site].lane_slot, site};
	}
	qsort(ret->all, ret->count, sizeof(*ret->all), by_lane);
}

/* Index of the lane's first site, or of where it would be. */
static size_t find_sites(const struct sites *sites, uint32_t process, uint32_t lane_slot)
{
	struct site_place key = {process, lane_slot, 0};
	return COUNT_BEFORE(sites->count, i, by_lane(&sites->all[i], &key) < 0);
}

/* Finds the row of the source line of an allocation: that of the innermost code that is
 * not a library's, when there is any. Calls of a function from several lines have
 * separate rows, except from lines with the same number in two files. */
static uint32_t site_row(struct merge *merge, uint32_t path,
			 const struct identify_place *place, uint32_t call)
{
	uint32_t line = place ? place->line : 0;
	const char *file = place ? place->file : NULL;
	uint64_t key = (uint64_t)path << 32 | line;
	bool is_new;
	uint32_t index =
		map_number(&merge->site_map, key, (uintptr_t)file,
			   call ? merge->identify.places[call - 1].line : 0, &is_new);

	if (!is_new)
		return index;
	POOL_ADD(&merge->pool, merge->sites, merge->site_count) = (struct merge_site){
		.path = path, .line = line, .file = file, .call = call};
	return index;
}

/* Sums up a site's own numbers. In a living process a free may show up before its
 * allocation. */
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
		/* what former processes left counts as freed, for the site only */
		left_count = left->count < free_count ? left->count : free_count;
		left_bytes = left->bytes < free_bytes ? left->bytes : free_bytes;
		free_count -= left_count;
		free_bytes -= left_bytes;
		live_count += left_count;
		live_bytes += left_bytes;
		/* the sum over processes, as far as it is known */
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
	struct read_memory *memory = &walk->merge->memory[walk->process_index];

	/* the merged path gets the cell's sums at the end of the lane */
	quantities_add(QUANTITY_OF_LANE, cell->quantities, QUANTITY_OF_SITE,
		       sums->quantities, 1);
	quantity_add(&row->live_bytes, sums->live_bytes);
	quantity_add(&row->at_peak_bytes, sums->at_peak_bytes);
	count_add(&memory->alloc_count, (uint64_t)sums->alloc_count);
	count_add(&memory->alloc_bytes, (uint64_t)sums->alloc_bytes);
	count_add(&memory->free_count, (uint64_t)sums->free_count);
	count_add(&memory->free_bytes, (uint64_t)sums->free_bytes);
	count_add(&memory->live_bytes, (uint64_t)sums->live_bytes);
}

/* The path of a site's node; 0: its node was cut; -1: damaged. */
static int64_t site_path(const struct lane_walk *walk, uint32_t node)
{
	if (place_is_cut(walk, node))
		return 0;
	if (node == 0 || node >= walk->data.node_count || !walk->nodes[node].is_placed)
		return -1;
	return walk->nodes[node].path;
}

static void add_site(struct lane_walk *walk, uint32_t index)
{
	struct merge *merge = walk->merge;
	const struct read_process *process = walk->modules->process;
	const struct segment_site *from = &process->sites[index];
	uint32_t *merged_sites = merge->merged_sites[walk->process_index];
	const struct identify_place *place = NULL;
	int64_t found = site_path(walk, from->node);
	uint32_t path = (uint32_t)found, row;
	struct merge_site sums;

	if (found < 0) {
		merge->damaged_count++;
		return;
	}
	if (!path) /* no call was open, and nothing could be unwound */
		path = merge_child_path(merge, 0, identify_nowhere(&merge->identify),
					MERGE_FRAME);
	else if (walk->nodes[from->node].user != IDENTIFY_NONE)
		place = &merge->identify.places[walk->nodes[from->node].user];
	row = site_row(merge, path, place, found > 0 ? walk->nodes[from->node].call : 0);
	sums = sum_site(from, index < process->left_count ? &process->left[index] : NULL,
			walk->process_index == merge->peak_process,
			process->peak_generation);
	quantities_add(QUANTITY_OF_SITE, merge->sites[row].quantities, QUANTITY_OF_SITE,
		       sums.quantities, 1);
	add_to_tree(walk, path, &sums);
	if (!merged_sites)
		return;
	merged_sites[index] = row;
	changes_add_site(merge, walk->process_index, index, row);
}

size_t sites_of_lane(const struct sites *sites, uint32_t process, uint32_t lane_slot,
		     size_t *ret_first)
{
	size_t at = find_sites(sites, process, lane_slot);

	*ret_first = at;
	while (at < sites->count && sites->all[at].process == process &&
	       sites->all[at].lane_slot == lane_slot)
		at++;
	return at - *ret_first;
}

/* Is it a lane now? A living process begins lanes after they were listed. */
static int is_lane_now(const struct segment_reader *reader, uint32_t lane_slot,
		       uint32_t process_slot)
{
	struct segment_slot slot;

	return lane_slot < SEGMENT_SLOT_LIMIT &&
	       segment_reader_slot(reader, lane_slot, &slot) == 0 &&
	       slot.kind == SEGMENT_SLOT_LANE && slot.process_slot == process_slot;
}

static int is_listed(const struct read_run *run, uint32_t file,
		     const struct site_place *site)
{
	int64_t lane = read_find_lane(run, file, site->lane_slot);

	return lane >= 0 && run->lanes[lane].process == site->process;
}

size_t sites_without_lane(const struct sites *sites, const struct read_run *run,
			  uint32_t file)
{
	struct segment_reader reader;
	size_t count = 0;

	if (read_open_file(run, file, &reader) < 0)
		return 0; /* its lanes could not be read; that was counted */
	for (size_t i = 0; i < sites->count; i++) {
		const struct site_place *site = &sites->all[i];

		count += !is_listed(run, file, site) &&
			 !is_lane_now(&reader, site->lane_slot,
				      run->processes[site->process].slot);
	}
	segment_reader_close(&reader);
	return count;
}

void sites_add(struct lane_walk *walk, const struct site_place *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_site(walk, places[i].site);
}

/*
 * The compiler makes up to three functions of a constructor or destructor, which call
 * each other for one object: for delete, for whole objects, for parts of others. In the
 * merged tree they are one (place.c), and one call is one object. All nodes of the lane
 * must be placed before.
 */

static struct variant_count *count_of(struct variant_list *list, uint32_t function,
				      enum demangle_variant variant)
{
	bool is_new;
	uint32_t index = map_number(&list->map, function, variant, 0, &is_new);

	if (is_new)
		ARRAY_ADD(list->all, list->count) =
			(struct variant_count){.function = function, .variant = variant};
	return &list->all[index];
}

static void add_node(struct lane_walk *walk, uint32_t index, struct variant_list *list)
{
	const struct segment_node *node = &walk->data.nodes[index];
	const struct node_place *place = &walk->nodes[index];
	uint32_t function = walk->merge->paths[place->path].function;
	struct variant_count *count;

	if (!walk->merge->identify.functions[function].variant)
		return;
	count = count_of(list, function, place_variant(walk, index));
	count_add(&count->entry_count, node->call_count);
	if (!place->is_nested)
		return;
	count_add(&count->nested_count, node->call_count);
	count = count_of(list, function, place_variant(walk, node->parent));
	count_add(&count->caller_count, node->call_count);
}

void variants_find(struct lane_walk *walk, struct variant_list *ret)
{
	*ret = (struct variant_list){.count = 0};
	for (uint32_t i = LANE_ROOT + 1; i < walk->data.node_count; i++) {
		const struct node_place *place = &walk->nodes[i];

		if (place->is_placed && !place->is_folded && place->path &&
		    place_is_function(&walk->data.nodes[i]))
			add_node(walk, i, ret);
	}
}

const struct variant_count *variants_at(const struct variant_list *list,
					uint32_t function, enum demangle_variant variant)
{
	uint32_t index = map_get(&list->map, function, variant, 0);

	return index == MAP_NONE ? NULL : &list->all[index];
}

void variants_done(struct variant_list *list)
{
	free(list->all);
	map_done(&list->map);
	*list = (struct variant_list){.count = 0};
}
