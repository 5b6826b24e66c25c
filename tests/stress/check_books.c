/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what must hold in a process: its threads, the books of its sites, and
 *                the global peak.
 * Runs on:       tests.
 * Must not:      need anything but the file.
 * See also:      tests/stress/check.h; shim/memory/site.h
 */
#include <stddef.h>

#include "tests/stress/check.h"

typedef unsigned long long ull;

const struct segment_site *check_sites_at(struct check *check, uint32_t slot)
{
	const struct segment_process *process = check_process_at(check, slot);
	uint64_t room;

	if (!process)
		return NULL;
	room = check->slot_size - process->sites.offset;
	if (!check_that(check,
			process->sites.offset <= check->slot_size &&
				process->sites.count <= process->sites.capacity &&
				process->sites.capacity <=
					room / sizeof(struct segment_site),
			"process %u: sites do not fit", slot))
		return NULL;
	return (const void *)((const char *)process + process->sites.offset);
}

/* lives: its process does. */
static void check_thread(struct check *check, uint32_t slot, uint32_t index,
			 const struct segment_thread *thread, int lives)
{
	const struct segment_lane *lane = check_lane_at(check, thread->lane_slot);

	check_that(check, thread->tid > 0, "process %u thread %u: no tid", slot, index);
	check_that(check, !thread->end_ticks || thread->end_ticks >= thread->start_ticks,
		   "process %u thread %u: ended before it began", slot, index);
	if (lane)
		check_that(check, lane->process_slot == slot,
			   "process %u thread %u: lane %u is of process %u", slot, index,
			   thread->lane_slot, lane->process_slot);
	if (lane && check->is_quiet && lives && !thread->end_ticks)
		check_that(check, lane->in_use && lane->thread == index,
			   "process %u thread %u: lives, but lane %u is not its own",
			   slot, index, thread->lane_slot);
}

static void check_threads(struct check *check, uint32_t slot,
			  const struct segment_process *process)
{
	const struct segment_thread *threads =
		(const void *)((const char *)process + process->threads.offset);

	if (!check_that(check,
			process->threads.count <= process->threads.capacity &&
				process->threads.offset +
						(uint64_t)process->threads.capacity *
							sizeof(*threads) <=
					check->slot_size,
			"process %u: threads do not fit", slot))
		return;
	for (uint32_t i = 0; i < process->threads.count; i++)
		check_thread(check, slot, i, &threads[i], i >= process->first_thread);
}

/* The slot's former processes: one after the other, with all that is settled. */
static void check_tenants(struct check *check, uint32_t slot,
			  const struct segment_process *process)
{
	const struct segment_tenant *tenants =
		(const void *)((const char *)process + process->tenants.offset);
	uint32_t count = process->tenancy >> 1;
	uint64_t ended = 0, allocated = 0, bytes = 0;

	if (!check_that(check,
			count <= process->tenants.committed &&
				process->tenants.committed <= process->tenants.capacity &&
				process->tenants.offset +
						(uint64_t)process->tenants.capacity *
							sizeof(*tenants) <=
					process->sites.offset,
			"process %u: former processes do not fit", slot))
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct segment_tenant *tenant = &tenants[i];

		check_that(check,
			   tenant->pid > 0 && tenant->state != SEGMENT_PROCESS_RUNNING,
			   "process %u: former process %u has not ended", slot, i);
		check_that(check,
			   tenant->start_ticks >= ended &&
				   tenant->end_ticks >= tenant->start_ticks,
			   "process %u: former process %u began too early", slot, i);
		check_that(check,
			   tenant->alloc_bytes == tenant->free_bytes + tenant->live_bytes,
			   "process %u: former process %u has lost bytes", slot, i);
		ended = tenant->end_ticks;
		allocated += tenant->alloc_count;
		bytes += tenant->alloc_bytes;
	}
	if (!check->is_quiet)
		return;
	check_that(check, !(process->tenancy & 1), "process %u is nobody's", slot);
	check_that(check, process->start_ticks >= ended,
		   "process %u began before the one before ended", slot);
	check_that(check,
		   allocated == process->settled_alloc_count &&
			   bytes == process->settled_alloc_bytes,
		   "process %u: %llu allocations settled of %llu", slot,
		   (ull)process->settled_alloc_count, (ull)allocated);
}

/* What a site alone must satisfy. */
static void check_site(struct check *check, uint32_t slot, uint32_t index,
		       const struct segment_site *site)
{
	const struct segment_lane *lane = check_lane_at(check, site->lane_slot);
	uint64_t live = site->alloc_bytes - site->free_bytes;

	if (lane)
		check_that(check, site->node >= 2 && site->node < lane->nodes.count,
			   "process %u site %u: no node %u in lane %u", slot, index,
			   site->node, site->lane_slot);
	if (!check->is_quiet)
		return;
	check_that(check, !site->lock, "process %u site %u: locked", slot, index);
	check_that(check,
		   site->free_count <= site->alloc_count &&
			   site->free_bytes <= site->alloc_bytes,
		   "process %u site %u: freed more than allocated", slot, index);
	check_that(check,
		   site->peak_bytes >= live && site->peak_bytes >= site->at_peak_bytes,
		   "process %u site %u: holds more than its peak", slot, index);
	check_that(check,
		   site->temporary_count <= site->free_count &&
			   site->cross_thread_free_count <= site->free_count &&
			   site->realloc_count <= site->alloc_count,
		   "process %u site %u: a part is larger than the whole", slot, index);
}

/* Live bytes are what is missing to the peak; the shares add up to the peak. */
static void check_sums(struct check *check, uint32_t slot,
		       const struct segment_process *process,
		       const struct segment_site *sites)
{
	uint64_t live = 0, at_peak = 0;

	for (uint32_t i = process->sites.first ? process->sites.first : 1;
	     i < process->sites.count; i++) {
		uint64_t own = sites[i].alloc_bytes - sites[i].free_bytes;

		live += own;
		at_peak += sites[i].peak_generation == process->peak_generation
				   ? sites[i].at_peak_bytes
				   : own;
		check_that(check, sites[i].peak_generation <= process->peak_generation,
			   "process %u site %u: a share of a peak to come", slot, i);
	}
	check_that(check, live == process->peak_bytes - process->below_peak,
		   "process %u: sites hold %llu bytes, peak %llu less %llu", slot,
		   (ull)live, (ull)process->peak_bytes, (ull)process->below_peak);
	check_that(check, at_peak == process->peak_bytes,
		   "process %u: shares add up to %llu, the peak is %llu", slot,
		   (ull)at_peak, (ull)process->peak_bytes);
}

void check_process(struct check *check, uint32_t slot)
{
	const struct segment_process *process = check_process_at(check, slot);
	const struct segment_site *sites;

	if (!process)
		return;
	check_threads(check, slot, process);
	check_tenants(check, slot, process);
	sites = check_sites_at(check, slot);
	if (!sites)
		return;
	for (uint32_t i = process->sites.first ? process->sites.first : 1;
	     i < process->sites.count; i++)
		check_site(check, slot, i, &sites[i]);
	if (check->is_quiet)
		check_sums(check, slot, process, sites);
}
