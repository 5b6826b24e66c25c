/* SPDX-License-Identifier: MIT */
/*
 * The order of work: lane after lane, then what is summed up over all of them. Must not
 * keep a lane's arrays longer than the lane takes.
 */
#include "collector/merge/run.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"
#include "collector/merge/account.h"
#include "collector/merge/lane.h"

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

/* A hook's cost in ns; a damaged number costs nothing. */
static double cost_ns(const struct ticks *ticks, double cost_ticks)
{
	double cost = cost_ticks * ticks->ns_per_tick;

	return cost > 0 && cost < 1e6 ? cost : 0;
}

static void begin(struct merge *merge, const struct read_run *run)
{
	struct merge_path root = {.parent = 0};

	quantities_clear(QUANTITY_OF_PATH, root.quantities);
	identify_init(&merge->identify);
	merge->modules = xcalloc(run->process_count, sizeof(*merge->modules));
	merge->memory = xcalloc(run->process_count, sizeof(*merge->memory));
	merge->merged_sites = xcalloc(run->process_count, sizeof(*merge->merged_sites));
	for (size_t i = 0; i < run->process_count; i++) {
		const struct read_process *process = &run->processes[i];
		size_t bytes = process->site_count * sizeof(uint32_t);

		if (!process->is_borrower) /* else no address is its own */
			modules_list(&merge->identify.modules, process,
				     &merge->modules[i]);
		/* sites of processes with snapshots are remembered by where they went */
		if (process->history.snapshot_count)
			merge->merged_sites[i] = memset(xmalloc(bytes), 0xff, bytes);
	}
	merge->peak_process = find_peak_process(run);
	merge_add_path(merge, &root);
}

static void merge_lanes(struct merge *merge, const struct merge_end *ends)
{
	size_t placed = 0, first;
	struct sites sites;

	sites_order(&sites, merge->run);
	for (size_t i = 0; i < merge->run->lane_count; i++) {
		const struct read_lane *lane = &merge->run->lanes[i];
		size_t own = sites_of_lane(&sites, lane->process, lane->slot, &first);

		placed += own;
		lane_merge(merge, (uint32_t)i, &ends[lane->process], sites.all + first,
			   own);
	}
	/* of lanes that are not there */
	merge_add(&merge->damaged_count, sites.count - placed);
	free(sites.all);
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
		struct read_memory *rest = &merge->memory[process->owner];

		if (!process->is_former)
			continue;
		merge->memory[i] = *own;
		if (run->processes[process->owner].is_former)
			continue; /* nobody has it: its last one is here, too */
		subtract(&rest->alloc_count, own->alloc_count);
		subtract(&rest->alloc_bytes, own->alloc_bytes);
		subtract(&rest->free_count, own->free_count);
		subtract(&rest->free_bytes, own->free_bytes);
		subtract(&rest->live_bytes, own->live_bytes);
	}
}

void run_merge(struct merge *ret, const struct read_run *run, const struct ticks *ticks,
	       const struct merge_end *ends, size_t path_limit)
{
	*ret = (struct merge){.run = run, .ticks = ticks, .path_limit = path_limit};
	if (!path_limit)
		ret->path_limit = run->page.path_limit > MERGE_PATH_LIMIT
					  ? run->page.path_limit
					  : MERGE_PATH_LIMIT;
	ret->inner_cost_ns = cost_ns(ticks, run->page.inner_cost_ticks);
	ret->outer_cost_ns = cost_ns(ticks, run->page.outer_cost_ticks);
	ret->damaged_count = run->damaged_count;
	begin(ret, run);
	merge_lanes(ret, ends);
	share_memory(ret);
	for (uint32_t i = 0; i < run->process_count; i++) {
		if (ret->merged_sites[i])
			changes_add_frees(&ret->changes, run, i, ret->merged_sites[i]);
	}
	marks_finish(&ret->marks);
	account_functions(ret);
}
