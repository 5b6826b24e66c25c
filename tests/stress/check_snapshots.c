/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what must hold in a process's history of snapshots.
 * Runs on:       tests; the process is quiet.
 * Must not:      need anything but the file.
 * See also:      tests/stress/check.h; common/segment_history.h
 */
#include <stdlib.h>

#include "common/segment_history.h"
#include "tests/stress/check.h"

typedef unsigned long long ull;

static const void *entries(const struct segment_history *history,
			   const struct segment_array *array)
{
	return (const char *)history + array->offset;
}

static uint32_t count_of(const struct segment_array *array)
{
	return array->count < array->capacity ? array->count : array->capacity;
}

/* What a site held at some snapshots is no more than it has come to since. */
static void check_past(struct check *check, const struct segment_process *process,
		       const struct segment_site *sites,
		       const struct segment_site_past *past)
{
	const struct segment_site *site = &sites[past->site];

	if (!check_that(check, past->site && past->site < process->sites.count,
			"past of site %u, which is none", past->site))
		return;
	check_that(check,
		   past->first && past->first <= past->last &&
			   past->last <= process->snapshot_interval &&
			   past->last <= site->interval,
		   "site %u: past of snapshots %u to %u, of %u", past->site, past->first,
		   past->last, process->snapshot_interval);
	check_that(check,
		   past->alloc_count <= site->alloc_count &&
			   past->alloc_bytes <= site->alloc_bytes &&
			   past->free_count <= site->free_count &&
			   past->free_bytes <= site->free_bytes &&
			   past->free_count <= past->alloc_count &&
			   past->free_bytes <= past->alloc_bytes,
		   "site %u: had more at snapshot %u than at the end", past->site,
		   past->first);
}

/* No snapshot of a site is told twice; none is left out between two that are told. */
static void check_pasts(struct check *check, const struct segment_process *process,
			const struct segment_site *sites,
			const struct segment_history *history)
{
	const struct segment_site_past *pasts = entries(history, &history->site_pasts);
	uint32_t count = count_of(&history->site_pasts), *next;

	next = calloc(process->sites.count + 1u, sizeof(*next));
	for (uint32_t i = 0; next && i < count; i++) {
		uint32_t site = pasts[i].site;

		check_past(check, process, sites, &pasts[i]);
		if (site >= process->sites.count)
			continue;
		check_that(check, !next[site] || pasts[i].first == next[site],
			   "site %u: snapshot %u follows %u", site, pasts[i].first,
			   next[site] - 1);
		next[site] = pasts[i].last + 1u;
	}
	free(next);
}

/* The blocks freed at an age are some of all that were freed. */
static void check_ages(struct check *check, const struct segment_process *process,
		       const struct segment_site *sites,
		       const struct segment_history *history)
{
	const struct segment_free_age *ages = entries(history, &history->free_ages);
	uint64_t *freed = calloc(process->sites.count + 1u, sizeof(*freed));

	for (uint32_t i = 1; freed && i < count_of(&history->free_ages); i++) {
		const struct segment_free_age *age = &ages[i];

		if (!check_that(check,
				age->site && age->site < process->sites.count &&
					age->born < age->freed &&
					age->freed <= process->snapshot_interval,
				"age %u: site %u, born %u, freed %u", i, age->site,
				age->born, age->freed))
			continue;
		freed[age->site] += age->free_count;
	}
	for (uint32_t i = 1; freed && i < process->sites.count; i++)
		check_that(check, freed[i] <= sites[i].free_count,
			   "site %u: %llu frees of old blocks, %llu of all", i,
			   (ull)freed[i], (ull)sites[i].free_count);
	free(freed);
}

static void check_paths(struct check *check, const struct segment_history *history)
{
	const struct segment_path_past *pasts = entries(history, &history->path_pasts);
	const struct segment_lane *lane = NULL;

	for (uint32_t i = 0; i < count_of(&history->path_pasts); i++) {
		uint32_t node = pasts[i].calls_and_node & SEGMENT_PAST_NODE_MASK;
		uint64_t calls = pasts[i].calls_and_node >> SEGMENT_PAST_NODE_BITS;
		const struct segment_node *nodes;

		if (!node) {
			lane = check_lane_at(check, (uint32_t)calls);
			continue;
		}
		if (node >= SEGMENT_PAST_NODES && node != SEGMENT_PAST_UNWOUND) {
			check_that(check, i && calls == 0 && pasts[i].total_ticks > 0,
				   "past %u: no wait, but an entry of it", i);
			continue;
		}
		if (node == SEGMENT_PAST_UNWOUND) {
			check_that(check,
				   i && calls <= pasts[i - 1].calls_and_node >>
						   SEGMENT_PAST_NODE_BITS,
				   "past %u: %llu unwound of less calls", i, (ull)calls);
			continue;
		}
		if (!check_that(check, lane && node < lane->nodes.count,
				"past %u of node %u, which is none", i, node))
			return;
		nodes = (const void *)((const char *)lane + lane->nodes.offset);
		check_that(check, calls <= nodes[node].call_count,
			   "node %u: had %llu calls, has %llu", node, (ull)calls,
			   (ull)nodes[node].call_count);
	}
}

void check_snapshots(struct check *check, uint32_t slot)
{
	const struct segment_process *process = check_process_at(check, slot);
	const struct segment_site *sites = check_sites_at(check, slot);
	const struct segment_history *history;

	if (!process || !sites || !process->history_slot || !check->is_quiet)
		return;
	history = check_history_at(check, process->history_slot);
	if (!history ||
	    !check_that(check,
			history->process_slot == slot && !history->incomplete_from &&
				history->snapshots.count == process->snapshot_interval,
			"process %u: %u snapshots, %u in its history", slot,
			process->snapshot_interval, history->snapshots.count))
		return;
	check_pasts(check, process, sites, history);
	check_ages(check, process, sites, history);
	check_paths(check, history);
}
