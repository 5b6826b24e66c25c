/* SPDX-License-Identifier: MIT */
/*
 * Differences between snapshots, computed from what nodes and sites had reached at each.
 * Must not trust numbers that the traced program has written.
 */
#include "collector/merge/place.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

/* Index of the node's first past, or where it would be inserted when it has none. */
static uint32_t first_of_node(const struct read_history *history, uint32_t lane_slot,
			      uint32_t node)
{
	return (uint32_t)COUNT_BEFORE(
		history->path_past_count, i,
		history->path_pasts[i].lane_slot < lane_slot ||
			(history->path_pasts[i].lane_slot == lane_slot &&
			 history->path_pasts[i].node < node));
}

/* Counters of other threads are read while they run, so a later snapshot may seem to have
 * fewer ticks than an earlier one. That counts as no change. */
static uint64_t difference(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* The time without a CPU that a node had accumulated. */
struct off {
	uint64_t all_ns, ready_ns;
};

/* The time without a CPU at a snapshot. A wait that was open then is booked later: it
 * takes its part of what `next`, the next booking, added. */
static struct off off_at(const struct read_path_past *past, const struct change_end *next,
			 double late_share)
{
	uint64_t ready_ns = difference(next->ready_ns, past->ready_ns);
	uint64_t blocked_ns = difference(next->blocked_ns, past->blocked_ns);
	double booked_ns = (double)ready_ns + (double)blocked_ns, part = 0;
	struct off off = {.ready_ns = past->ready_ns};

	if (past->open_ns && booked_ns > 0)
		part = (double)past->open_ns < booked_ns
			       ? (double)past->open_ns / booked_ns
			       : 1;
	blocked_ns = past->blocked_ns + (uint64_t)(part * (double)blocked_ns);
	off.ready_ns += (uint64_t)(part * (double)ready_ns);
	off.all_ns = off.ready_ns + blocked_ns;
	off.ready_ns += (uint64_t)(late_share * (double)blocked_ns);
	return off;
}

/* Goes from the last to the first: each needs the one after it. offs: one per past. */
static void find_offs(const struct read_path_past *pasts, uint32_t count,
		      const struct change_end *end, struct off *offs)
{
	struct change_end next = *end;

	for (uint32_t i = count; i-- > 0;) {
		const struct read_path_past *past = &pasts[i];
		const struct read_path_past *after = i + 1 < count ? past + 1 : NULL;

		if (after && (after->ready_ns != past->ready_ns ||
			      after->blocked_ns != past->blocked_ns)) {
			next.ready_ns = after->ready_ns;
			next.blocked_ns = after->blocked_ns;
		}
		offs[i] = off_at(past, &next, end->late_share);
	}
}

static void subtract_off(struct change_of_path *change, const struct off *now,
			 struct off *before)
{
	uint64_t all_ns = difference(now->all_ns, before->all_ns);

	change->ready_ns = difference(now->ready_ns, before->ready_ns);
	if (change->ready_ns > all_ns)
		change->ready_ns = all_ns;
	change->blocked_ns = all_ns - change->ready_ns;
	before->all_ns += all_ns;
	before->ready_ns += change->ready_ns;
}

void changes_add_node(struct merge *merge, uint32_t process, uint32_t lane_slot,
		      uint32_t node, const struct change_place *place,
		      const struct change_end *end)
{
	const struct read_history *history = &merge->run->processes[process].history;
	struct changes *changes = &merge->changes;
	uint32_t first = first_of_node(history, lane_slot, node), count = 0;
	const struct read_path_past *pasts = history->path_pasts + first;
	uint64_t calls = 0, ticks = 0, unwound = 0;
	auto_free struct off *offs = NULL;
	struct off before = {0, 0};

	while (first + count < history->path_past_count &&
	       pasts[count].lane_slot == lane_slot && pasts[count].node == node)
		count++;
	if (!count)
		return;
	offs = xcalloc(count, sizeof(*offs));
	find_offs(pasts, count, end, offs);
	for (uint32_t i = 0; i < count; i++) {
		const struct read_path_past *past = &pasts[i];
		struct change_of_path change = {
			.process = process,
			.snapshot = past->snapshot,
			.path = place->path,
			.owner = place->owner,
			.calls = difference(past->call_count, calls),
			.ticks = difference(past->total_ticks, ticks),
			.unwound = difference(past->unwound_count, unwound)};

		calls = past->call_count;
		unwound = past->unwound_count;
		ticks += change.ticks;
		subtract_off(&change, &offs[i], &before);
		if (place->is_nested) {
			change.nested_calls = change.calls;
			change.calls = change.ticks = change.unwound = 0;
		}
		if (change.calls || change.nested_calls || change.ticks ||
		    change.unwound || change.ready_ns || change.blocked_ns)
			POOL_ADD(&merge->pool, changes->paths, changes->path_count) =
				change;
	}
}

/* A site's counts at a snapshot. */
struct reached {
	uint64_t alloc_count, alloc_bytes, free_count, free_bytes;
};

static void add_site(struct merge *merge, uint32_t process, uint32_t snapshot,
		     uint32_t site, const struct reached *now, struct reached *before)
{
	struct change_of_site change = {
		.process = process, .snapshot = snapshot, .site = site};

	change.alloc_count =
		quantity_of_count(difference(now->alloc_count, before->alloc_count));
	change.alloc_bytes =
		quantity_of_count(difference(now->alloc_bytes, before->alloc_bytes));
	change.live_count = (int64_t)(now->alloc_count - now->free_count -
				      (before->alloc_count - before->free_count));
	change.live_bytes = (int64_t)(now->alloc_bytes - now->free_bytes -
				      (before->alloc_bytes - before->free_bytes));
	*before = *now;
	if (!change.alloc_count && !change.alloc_bytes && !change.live_count &&
	    !change.live_bytes)
		return;
	POOL_ADD(&merge->pool, merge->changes.sites, merge->changes.site_count) = change;
}

static uint32_t first_of_site(const struct read_history *history, uint32_t site)
{
	return (uint32_t)COUNT_BEFORE(history->site_past_count, i,
				      history->site_pasts[i].site < site);
}

void changes_add_site(struct merge *merge, uint32_t process, uint32_t site,
		      uint32_t merged)
{
	const struct read_process *from = &merge->run->processes[process];
	const struct segment_site *now = &from->sites[site];
	const struct read_history *history = &from->history;
	uint32_t id = from->first_site + site, last = 0;
	struct reached before = {0};

	for (uint32_t i = first_of_site(history, id);
	     i < history->site_past_count && history->site_pasts[i].site == id; i++) {
		const struct segment_site_past *past = &history->site_pasts[i];
		struct reached reached = {past->alloc_count, past->alloc_bytes,
					  past->free_count, past->free_bytes};

		if (past->first <= last) /* the process died while it wrote this one */
			continue;
		add_site(merge, process, past->first, merged, &reached, &before);
		last = past->last;
	}
	if (now->interval < history->snapshot_count && now->interval >= last) {
		struct reached reached = {now->alloc_count, now->alloc_bytes,
					  now->free_count, now->free_bytes};

		add_site(merge, process, now->interval + 1, merged, &reached, &before);
	}
}

void changes_add_frees(struct merge *merge, uint32_t process, const uint32_t *merged)
{
	const struct read_process *from = &merge->run->processes[process];
	struct changes *changes = &merge->changes;
	const struct read_history *history = &from->history;

	for (uint32_t i = 0; i < history->free_age_count; i++) {
		const struct segment_free_age *age = &history->free_ages[i];
		uint32_t site = age->site - from->first_site;

		if (age->site < from->first_site || site >= from->site_count ||
		    merged[site] == UINT32_MAX || age->born >= age->freed ||
		    age->freed > history->snapshot_count || (int64_t)age->free_count <= 0)
			continue;
		POOL_ADD(&merge->pool, changes->frees, changes->free_count) =
			(struct change_free){process,	      merged[site],
					     age->born,	      age->freed,
					     age->free_count, age->free_bytes};
	}
}
