/* SPDX-License-Identifier: MIT */
/*
 * The merged tree itself: paths, functions, and the order of work. Must not keep a
 * lane's arrays longer than the lane takes.
 */
#include "collector/merge/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/merge/account.h"
#include "common/base/array.h"

static int add_path(struct merge *merge, const struct merge_path *path)
{
	struct merge_path *paths =
		array_room(merge->paths, merge->path_count, sizeof(*paths));
	struct merge_cell *cells;
	uint32_t *touched;

	if (!paths)
		return -ENOMEM;
	merge->paths = paths;
	cells = array_room(merge->cells, merge->path_count, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	merge->cells = cells;
	touched = array_room(merge->touched, merge->path_count, sizeof(*touched));
	if (!touched)
		return -ENOMEM;
	merge->touched = touched;
	paths[merge->path_count++] = *path;
	return 0;
}

int merge_has_room(const struct merge *merge, uint32_t parent, uint32_t function,
		   enum merge_kind kind)
{
	uint64_t key = (uint64_t)parent << 32 | function;

	return merge->path_count < merge->path_limit ||
	       map_get(&merge->path_map, key, kind, 0) != MAP_NONE;
}

int merge_child_path(struct merge *merge, uint32_t parent, uint32_t function,
		     enum merge_kind kind, uint32_t *ret)
{
	struct merge_path path = {.parent = parent,
				  .function = function,
				  .depth = merge->paths[parent].depth + 1,
				  .kind = kind};
	uint64_t key = (uint64_t)parent << 32 | function;
	int result;

	*ret = map_get(&merge->path_map, key, kind, 0);
	if (*ret != MAP_NONE)
		return 0;
	quantities_clear(QUANTITY_OF_PATH, path.quantities);
	*ret = (uint32_t)merge->path_count;
	result = add_path(merge, &path);
	if (result < 0)
		return result;
	return map_put(&merge->path_map, key, kind, 0, *ret);
}

struct merge_function *merge_function_at(struct merge *merge, uint32_t function)
{
	while (merge->function_count <= function) {
		struct merge_function *functions = array_room(
			merge->functions, merge->function_count, sizeof(*functions));

		if (!functions)
			return NULL;
		merge->functions = functions;
		quantities_clear(QUANTITY_OF_FUNCTION,
				 functions[merge->function_count++].quantities);
	}
	return &merge->functions[function];
}

struct merge_cell *merge_touch(struct merge *merge, uint32_t path)
{
	for (uint32_t at = path; at && !merge->cells[at].is_touched;
	     at = merge->paths[at].parent) {
		merge->cells[at].is_touched = 1;
		merge->touched[merge->touched_count++] = at;
	}
	return &merge->cells[path];
}

/* The run's peak is that of its process with the highest peak. */
static size_t find_peak_process(const struct read_run *run)
{
	size_t highest = run->process_count;

	for (size_t i = 0; i < run->process_count; i++) {
		/* of former ones the shares of sites are not known, nor is one of them
		 * the highest */
		if (run->processes[i].peak_bytes == 0 || run->processes[i].is_former)
			continue;
		if (highest == run->process_count ||
		    run->processes[i].peak_bytes > run->processes[highest].peak_bytes)
			highest = i;
	}
	return highest;
}

static int begin(struct merge *merge, const struct read_run *run)
{
	struct merge_path root = {.parent = 0};
	int result;

	quantities_clear(QUANTITY_OF_PATH, root.quantities);

	result = identify_init(&merge->identify);
	if (result < 0)
		return result;
	merge->processes = calloc(run->process_count + 1, sizeof(*merge->processes));
	merge->memory = calloc(run->process_count + 1, sizeof(*merge->memory));
	merge->merged_sites =
		calloc(run->process_count + 1, sizeof(*merge->merged_sites));
	if (!merge->processes || !merge->memory || !merge->merged_sites)
		return -ENOMEM;
	for (size_t i = 0; i < run->process_count && result == 0; i++) {
		if (run->processes[i].is_borrower)
			continue; /* no address is its own */
		result = identify_process_init(&merge->identify, &run->processes[i],
					       &merge->processes[i]);
	}
	merge->peak_process = find_peak_process(run);
	return result < 0 ? result : add_path(merge, &root);
}

/* A hook's cost in ns; a damaged number costs nothing. */
static double cost_ns(const struct ticks *ticks, double cost_ticks)
{
	double cost = cost_ticks * ticks->ns_per_tick;

	return cost > 0 && cost < 1e6 ? cost : 0;
}

struct site_place {
	uint32_t process, lane_slot, site;
};

static int by_lane(const void *a, const void *b)
{
	const struct site_place *left = a, *right = b;

	if (left->process != right->process)
		return left->process < right->process ? -1 : 1;
	if (left->lane_slot != right->lane_slot)
		return left->lane_slot < right->lane_slot ? -1 : 1;
	return left->site < right->site ? -1 : left->site > right->site;
}

/* All sites of all processes in the order of their lanes. */
static int order_sites(const struct read_run *run, struct site_place **ret,
		       size_t *ret_count)
{
	size_t count = 0, at = 0;

	for (size_t i = 0; i < run->process_count; i++)
		count += run->processes[i].site_count;
	*ret = calloc(count + 1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < run->process_count; i++) {
		const struct read_process *process = &run->processes[i];

		for (uint32_t site = 0; site < process->site_count; site++)
			(*ret)[at++] = (struct site_place){
				(uint32_t)i, process->sites[site].lane_slot, site};
	}
	qsort(*ret, count, sizeof(**ret), by_lane);
	*ret_count = count;
	return 0;
}

/* Index of the first site not before the lane's. */
static size_t find_sites(const struct site_place *places, size_t count, uint32_t process,
			 uint32_t lane_slot)
{
	struct site_place key = {process, lane_slot, 0};
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_lane(&places[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int merge_lanes(struct merge *merge, const struct merge_end *ends,
		       const struct site_place *places, size_t count)
{
	uint32_t *sites = calloc(count + 1, sizeof(*sites));
	size_t placed = 0;
	int result = 0;

	if (!sites)
		return -ENOMEM;
	for (size_t i = 0; i < merge->run->lane_count && result == 0; i++) {
		const struct read_lane *lane = &merge->run->lanes[i];
		size_t at = find_sites(places, count, lane->process, lane->slot), own = 0;

		while (at < count && places[at].process == lane->process &&
		       places[at].lane_slot == lane->slot)
			sites[own++] = places[at++].site;
		placed += own;
		result = merge_lane(merge, (uint32_t)i, &ends[lane->process], sites, own);
	}
	merge_add(&merge->damaged_count,
		  count - placed); /* of lanes that are not there */
	free(sites);
	return result;
}

/* Sites of processes with snapshots are remembered by where they went. */
static int begin_snapshots(struct merge *merge)
{
	const struct read_run *run = merge->run;

	for (size_t i = 0; i < run->process_count; i++) {
		size_t bytes = run->processes[i].site_count * sizeof(uint32_t);

		if (!run->processes[i].book.snapshot_count)
			continue;
		merge->merged_sites[i] = malloc(bytes + 1);
		if (!merge->merged_sites[i])
			return -ENOMEM;
		memset(merge->merged_sites[i], 0xff, bytes);
	}
	return 0;
}

static void subtract(uint64_t *from, uint64_t value)
{
	*from = value < *from ? *from - value : 0;
}

/* The owner of a slot has the sums of all its processes so far. */
static void share_memory(struct merge *merge)
{
	const struct read_run *run = merge->run;

	for (size_t i = 0; i < run->process_count; i++) {
		const struct read_process *process = &run->processes[i];
		const struct read_memory *own = &process->memory;
		struct merge_memory *rest = &merge->memory[process->owner];

		if (!process->is_former)
			continue;
		merge->memory[i] = (struct merge_memory){
			own->alloc_count, own->alloc_bytes, own->free_count,
			own->free_bytes, own->live_bytes};
		if (run->processes[process->owner].is_former)
			continue; /* nobody has it: its last one is here, too */
		subtract(&rest->alloc_count, own->alloc_count);
		subtract(&rest->alloc_bytes, own->alloc_bytes);
		subtract(&rest->free_count, own->free_count);
		subtract(&rest->free_bytes, own->free_bytes);
		subtract(&rest->live_bytes, own->live_bytes);
	}
}

int merge_run(struct merge *ret, const struct read_run *run, const struct ticks *ticks,
	      const struct merge_end *ends, size_t path_limit)
{
	struct site_place *places = NULL;
	size_t count = 0;
	int result;

	*ret = (struct merge){.run = run, .ticks = ticks, .path_limit = path_limit};
	if (!path_limit)
		ret->path_limit = run->page.path_limit > MERGE_PATH_LIMIT
					  ? run->page.path_limit
					  : MERGE_PATH_LIMIT;
	ret->inner_cost_ns = cost_ns(ticks, run->page.inner_cost_ticks);
	ret->outer_cost_ns = cost_ns(ticks, run->page.outer_cost_ticks);
	ret->damaged_count = run->damaged_count;
	result = begin(ret, run);
	if (result == 0)
		result = begin_snapshots(ret);
	if (result == 0)
		result = order_sites(run, &places, &count);
	if (result == 0)
		result = merge_lanes(ret, ends, places, count);
	if (result == 0)
		share_memory(ret);
	for (uint32_t i = 0; i < run->process_count && result == 0; i++) {
		if (ret->merged_sites[i])
			result = changes_add_frees(&ret->changes, run, i,
						   ret->merged_sites[i]);
	}
	if (result == 0)
		result = marks_finish(&ret->marks);
	free(places);
	return result < 0 ? result : account_functions(ret);
}

void merge_done(struct merge *merge)
{
	for (size_t i = 0; merge->processes && i < merge->run->process_count; i++)
		identify_process_done(&merge->processes[i]);
	for (size_t i = 0; i < merge->function_count; i++)
		histogram_done(&merge->functions[i].histogram);
	for (size_t i = 0; merge->merged_sites && i < merge->run->process_count; i++)
		free(merge->merged_sites[i]);
	free(merge->merged_sites);
	changes_done(&merge->changes);
	marks_done(&merge->marks);
	free(merge->processes);
	free(merge->memory);
	free(merge->paths);
	free(merge->shares);
	free(merge->sites);
	free(merge->functions);
	free(merge->edges);
	free(merge->cells);
	free(merge->touched);
	map_done(&merge->path_map);
	map_done(&merge->site_map);
	map_done(&merge->edge_map);
	identify_done(&merge->identify);
	*merge = (struct merge){.run = NULL};
}
