/* SPDX-License-Identifier: MIT */
/*
 * The order of work: lane after lane, then what is summed up over all of them. Must not
 * keep a lane's arrays longer than the lane takes.
 */
#include "collector/account/account.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"
#include "collector/account/sampled/computed.h"
#include "collector/merge/place.h"
#include "collector/merge/merge.h"
#include "collector/read/read.h"

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

/* As it was measured when the run began; allocations as the heap of each process is. */
static void find_costs(struct merge *merge)
{
	const struct read_run *run = merge->run;

	hook_cost_calibrated(&merge->cost, &run->page, merge->ticks);
	for (size_t i = 0; i < run->process_count; i++) {
		merge->process_cost[i] = merge->cost;
		hook_cost_heap(&merge->process_cost[i], run->processes[i].peak_bytes);
	}
	if (merge->peak_process < run->process_count)
		hook_cost_heap(&merge->cost,
			       run->processes[merge->peak_process].peak_bytes);
}

static void begin(struct merge *merge, const struct read_run *run)
{
	struct merge_path root = {.parent = 0};

	quantities_clear(QUANTITY_OF_PATH, root.quantities);
	identify_init(&merge->identify, run->page.library,
		      run->process_count ? run->processes[0].executable : NULL);
	merge->modules =
		pool_array(&merge->pool, run->process_count, sizeof(*merge->modules));
	merge->process_cost = pool_array(&merge->pool, run->process_count,
					 sizeof(*merge->process_cost));
	merge->memory =
		pool_array(&merge->pool, run->process_count, sizeof(*merge->memory));
	merge->merged_sites = pool_array(&merge->pool, run->process_count,
					 sizeof(*merge->merged_sites));
	merge->open_paths =
		pool_array(&merge->pool, run->lane_count, sizeof(*merge->open_paths));
	for (size_t i = 0; i < run->process_count; i++) {
		const struct read_process *process = &run->processes[i];
		size_t bytes = process->site_count * sizeof(uint32_t);

		if (!process->is_borrower) /* else no address is its own */
			modules_list(&merge->identify.modules, &merge->pool, process,
				     &merge->modules[i]);
		/* sites of processes with snapshots are remembered by where they went */
		if (process->history.snapshot_count)
			merge->merged_sites[i] =
				memset(pool_array(&merge->pool, bytes, 1), 0xff, bytes);
	}
	merge->peak_process = find_peak_process(run);
	merge_add_path(merge, &root);
}

/* A lane of a process that counted calls, or with samples, waits until those of all are
 * known. */
static void account_lane(struct merge *merge, struct counted *counted, uint32_t lane,
			 struct lane_counts *counts)
{
	uint32_t process = merge->run->lanes[lane].process;

	if (merge->first_mode[process + 1] > merge->first_mode[process] ||
	    computed_has_samples(merge, lane)) {
		counted_keep(counted, lane, counts);
		return;
	}
	account_selves(merge, &(struct account_cost){&merge->process_cost[process],
						     counts->stack_ns});
	account_totals(merge, lane);
}

static void merge_lane(struct merge *merge, struct counted *counted, uint32_t lane,
		       const struct ending *end, const struct site_place *sites,
		       size_t site_count)
{
	ended_by(lane_counts_done) struct lane_counts counts;

	lane_merge(merge, lane, end, sites, site_count, &counts);
	account_lane(merge, counted, lane, &counts);
}

/* The lanes of the file, from this one on. Returns the first of another. */
static size_t merge_file(struct merge *merge, struct counted *counted, uint32_t file,
			 size_t lane, const struct ending *ends,
			 const struct read_parts *parts)
{
	const struct read_run *run = merge->run;
	size_t placed = 0, first;
	struct sites sites;

	sites_order(&sites, run, parts->order + parts->first, parts->end - parts->first);
	for (; lane < run->lane_count && run->lanes[lane].file == file; lane++) {
		uint32_t process = run->lanes[lane].process;
		size_t own =
			sites_of_lane(&sites, process, run->lanes[lane].slot, &first);

		placed += own;
		merge_lane(merge, counted, (uint32_t)lane, &ends[process],
			   sites.all + first, own);
	}
	if (placed < sites.count)
		count_add(&merge->damaged_count, sites_without_lane(&sites, run, file));
	free(sites.all);
	return lane;
}

static void merge_lanes(struct merge *merge, const struct ending *ends)
{
	struct counted *counted = counted_new(merge);
	struct read_parts parts;
	size_t lane = 0;

	shared_lanes_find(merge, ends);
	read_parts_begin(&parts, merge->run);
	for (uint32_t file = 0; file < merge->run->file_count; file++) {
		read_parts_of(&parts, file);
		lane = merge_file(merge, counted, file, lane, ends, &parts);
	}
	read_parts_done(&parts);
	counted_finish(counted);
	counted_free(counted);
	locks_finish(merge);
	studies_finish(&merge->studies);
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
	       const struct ending *ends, const struct cpu_book *outside,
	       size_t path_limit, size_t share_limit)
{
	*ret = (struct merge){.run = run,
			      .ticks = ticks,
			      .path_limit = path_limit,
			      .share_limit =
				      share_limit ? share_limit : MERGE_SHARE_LIMIT};
	if (!path_limit)
		ret->path_limit = run->page.path_limit > MERGE_PATH_LIMIT
					  ? run->page.path_limit
					  : MERGE_PATH_LIMIT;
	ret->damaged_count = run->damaged_count;
	begin(ret, run);
	find_costs(ret);
	modes_list(ret);
	merge_lanes(ret, ends);
	share_memory(ret);
	for (uint32_t i = 0; i < run->process_count; i++) {
		if (ret->merged_sites[i])
			changes_add_frees(ret, i, ret->merged_sites[i]);
	}
	marks_finish(ret);
	if (outside)
		sampled_add_outside(ret, outside);
	account_functions(ret);
}
