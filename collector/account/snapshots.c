/* SPDX-License-Identifier: MIT */
/*
 * Differences summed up to rows; times corrected like the run's own. Must not let the
 * sums of sites and of a snapshot differ.
 *
 * The times between two snapshots are corrected like those of a whole lane (account.h):
 * self time is what remains of the difference of a path's ticks without its children's
 * and without the hooks' cost. What a path has at a snapshot is the sum of that.
 */
#include "collector/account/account.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

static int path_by_snapshot(const void *a, const void *b)
{
	const struct change_of_path *left = a, *right = b;

	return ORDER_BY_3(left, right, process, snapshot, path);
}

static int site_by_site(const void *a, const void *b)
{
	const struct change_of_site *left = a, *right = b;

	return ORDER_BY_3(left, right, process, site, snapshot);
}

static int row_by_path(const void *a, const void *b)
{
	const struct snapshot_path *left = a, *right = b;

	return ORDER_BY_3(left, right, process, path, first);
}

static int free_by_site(const void *a, const void *b)
{
	const struct change_free *left = a, *right = b;

	return ORDER_BY_4(left, right, process, site, born, freed);
}

/* Where each process's snapshots begin in `all`; [process_count] is their number. */
static uint32_t *number_all(struct snapshots *ret, struct merge *merge)
{
	const struct read_run *run = merge->run;
	uint32_t *starts = xcalloc(run->process_count + 1, sizeof(*starts));

	for (size_t i = 0; i < run->process_count; i++)
		starts[i + 1] = starts[i] + run->processes[i].history.snapshot_count;
	ret->count = starts[run->process_count];
	ret->all = pool_array(&merge->pool, ret->count, sizeof(*ret->all));
	for (uint32_t i = 0; i < run->process_count; i++) {
		const struct read_history *history = &run->processes[i].history;

		for (uint32_t n = 0; n < history->snapshot_count; n++)
			ret->all[starts[i] + n] = (struct snapshot_row){
				.process = i,
				.number = n + 1,
				.time_ns = ticks_since_start_ns(
					merge->ticks, history->snapshots[n].ticks),
				.from = &history->snapshots[n],
				.rss_bytes =
					history->snapshots[n].rss_bytes
						? quantity_of_count(
							  history->snapshots[n].rss_bytes)
						: QUANTITY_UNKNOWN};
	}
	return starts;
}

/* What one snapshot has in addition, by path. When there is no room for it, for none that
 * follows either: what they have is counted from the ones before. */
static void account_snapshot(struct snapshots *ret, struct merge *merge, int64_t *owed_ns,
			     uint32_t process, uint32_t first)
{
	account_begin(merge);
	if (merge->touched_count > SNAPSHOT_PATH_LIMIT - ret->path_count)
		ret->cut_first = first;
	while (merge->touched_count) {
		struct snapshot_path row = {.process = process, .first = first};

		row.path = account_next_part(merge, owed_ns, row.quantities);
		if (ret->cut_first > first)
			POOL_ADD(&merge->pool, ret->paths, ret->path_count) = row;
	}
}

/* Differences become what has been reached, valid until the path's next row. */
static void sum_up_paths(struct snapshots *ret, const uint32_t *starts)
{
	for (size_t i = 0; i < ret->path_count; i++) {
		struct snapshot_path *row = &ret->paths[i], *next = row + 1;

		row->until = starts[row->process + 1];
		if (row->until > ret->cut_first)
			row->until = ret->cut_first;
		if (i + 1 == ret->path_count || next->process != row->process ||
		    next->path != row->path)
			continue;
		row->until = next->first;
		quantities_add(QUANTITY_OF_PAST, next->quantities, QUANTITY_OF_PAST,
			       row->quantities, 1);
	}
}

int64_t *snapshots_most_self(const struct merge *merge)
{
	int64_t *most = xcalloc(merge->path_count, sizeof(*most));
	/* whose frame a path's calls were in: a walk up from each was 30 s for a
	 * recursion 200,000 deep */
	auto_free uint32_t *frames = xcalloc(merge->path_count, sizeof(*frames));

	for (uint32_t i = 0; i < merge->path_count; i++) {
		const struct merge_path *path = &merge->paths[i];
		int is_framed = !i || path->recording == SEGMENT_RECORDING_EXACT;

		quantity_add(&most[i], path->self_ns);
		frames[i] = is_framed ? i : frames[path->parent];
		if (!is_framed)
			quantity_add(&most[frames[i]], path->self_ns);
	}
	return most;
}

static void bound(int64_t *ns, int64_t most_ns)
{
	if (*ns > most_ns)
		*ns = most_ns;
}

/* In the end a path may have less: what its callees' hooks took less than was subtracted
 * is charged to it when all is known (account.h), which a stretch of time cannot tell
 * from calls that are still open. */
static void bound_by_end(struct snapshots *ret, const struct merge *merge)
{
	auto_free int64_t *most = snapshots_most_self(merge);

	for (size_t i = 0; i < ret->path_count; i++) {
		struct snapshot_path *row = &ret->paths[i];
		const struct merge_path *end = &merge->paths[row->path];

		bound(&row->total_ns, end->total_ns);
		bound(&row->ready_ns, end->ready_ns);
		bound(&row->blocked_ns, end->blocked_ns);
		bound(&row->self_ns, most[row->path]);
		bound(&row->self_ready_ns, end->self_ready_ns);
		bound(&row->self_blocked_ns, end->self_blocked_ns);
		row->cpu_ns = row->total_ns - row->ready_ns - row->blocked_ns;
		row->self_cpu_ns =
			row->self_ns - row->self_ready_ns - row->self_blocked_ns;
	}
}

static void build_paths(struct snapshots *ret, struct merge *merge,
			const uint32_t *starts)
{
	const struct changes *changes = &merge->changes;
	size_t bytes = merge->path_count * sizeof(int64_t), at = 0;
	auto_free int64_t *owed_ns = xmalloc(bytes);

	if (changes->path_count)
		qsort(changes->paths, changes->path_count, sizeof(*changes->paths),
		      path_by_snapshot);
	ret->cut_first = UINT32_MAX;
	while (at < changes->path_count) {
		const struct change_of_path *group = &changes->paths[at], *change = group;
		uint32_t first = starts[group->process] + group->snapshot - 1;

		if (at == 0 || group->process != group[-1].process)
			memset(owed_ns, 0, bytes);
		for (; at < changes->path_count && change->process == group->process &&
		       change->snapshot == group->snapshot;
		     change++, at++) {
			struct merge_cell *cell;

			if (ret->cut_first <= first)
				continue;
			cell = merge_touch(merge, change->path);
			quantity_add(&cell->calls, quantity_of_count(change->calls));
			quantity_add(&cell->nested_calls,
				     quantity_of_count(change->nested_calls));
			quantity_add(&cell->unwound_count,
				     quantity_of_count(change->unwound));
			count_add(&cell->total_ticks, change->ticks);
			merge_pass(merge, change->path, change->owner, change->calls,
				   change->ticks);
			quantity_add(&cell->self_ready_ns,
				     quantity_of_count(change->ready_ns));
			quantity_add(&cell->self_blocked_ns,
				     quantity_of_count(change->blocked_ns));
		}
		account_snapshot(ret, merge, owed_ns, group->process, first);
		ret->cut_count += ret->cut_first <= first;
	}
	if (ret->path_count)
		qsort(ret->paths, ret->path_count, sizeof(*ret->paths), row_by_path);
	sum_up_paths(ret, starts);
	bound_by_end(ret, merge);
}

static void build_sites(struct snapshots *ret, struct merge *merge,
			const uint32_t *starts)
{
	const struct changes *changes = &merge->changes;
	struct snapshot_site *row = NULL;

	if (changes->site_count)
		qsort(changes->sites, changes->site_count, sizeof(*changes->sites),
		      site_by_site);
	ret->sites = pool_array(&merge->pool, changes->site_count, sizeof(*ret->sites));
	for (size_t i = 0; i < changes->site_count; i++) {
		const struct change_of_site *change = &changes->sites[i];
		uint32_t first = starts[change->process] + change->snapshot - 1;

		quantities_add(QUANTITY_OF_SNAPSHOT, ret->all[first].quantities,
			       QUANTITY_OF_HELD, change->quantities, 1);
		if (!row || row->process != change->process ||
		    row->site != change->site) {
			row = &ret->sites[ret->site_count++];
			*row = (struct snapshot_site){.process = change->process,
						      .site = change->site};
		} else if (row->first != first) {
			row->until = first;
			ret->sites[ret->site_count] = *row;
			row = &ret->sites[ret->site_count++];
		}
		row->first = first;
		row->until = starts[change->process + 1];
		quantities_add(QUANTITY_OF_HELD, row->quantities, QUANTITY_OF_HELD,
			       change->quantities, 1);
	}
	for (size_t i = 1; i < ret->count; i++) { /* from differences to sums */
		struct snapshot_row *all = ret->all;

		if (all[i].process != all[i - 1].process)
			continue;
		quantities_add(QUANTITY_OF_SNAPSHOT, all[i].quantities,
			       QUANTITY_OF_SNAPSHOT, all[i - 1].quantities, 1);
	}
}

/* Entries of several lanes' sites that are one site here become one. */
static void build_frees(struct snapshots *ret, struct merge *merge,
			const uint32_t *starts)
{
	size_t count = merge->changes.free_count;

	ret->frees = merge->changes.frees;
	if (count)
		qsort(ret->frees, count, sizeof(*ret->frees), free_by_site);
	for (size_t i = 0; i < count; i++) {
		struct change_free age = ret->frees[i];
		struct change_free *last =
			ret->free_count ? &ret->frees[ret->free_count - 1] : NULL;

		if (age.born)
			age.born += starts[age.process];
		age.freed += starts[age.process];
		if (last && last->process == age.process && last->site == age.site &&
		    last->born == age.born && last->freed == age.freed) {
			last->count += age.count;
			last->bytes += age.bytes;
		} else {
			ret->frees[ret->free_count++] = age;
		}
	}
}

void snapshots_build(struct snapshots *ret, struct merge *merge)
{
	auto_free uint32_t *starts = NULL;

	*ret = (struct snapshots){.count = 0};
	starts = number_all(ret, merge);
	build_paths(ret, merge, starts);
	build_sites(ret, merge, starts);
	build_frees(ret, merge, starts);
}
