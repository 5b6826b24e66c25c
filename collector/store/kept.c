/* SPDX-License-Identifier: MIT */
/* The rows of kept calls (spans, studies with their cases and parts), of snapshots, and
 * of locks (lock, lock_wait, stall, stall_window). */
#include <stdlib.h>

#include "collector/store/row.h"
#include "common/base/xalloc.h"
#include "common/libc/calls.h"
#include "common/segment_slow.h"

static void add_span(struct row *row, const struct merge_span *span)
{
	int64_t call_ns = row_ns(row, (double)span->ticks), thread = -1;
	struct split_values split =
		row_split(span->is_split, call_ns, span->ready_ns, span->blocked_ns);
	const char *name = NULL;

	if (span->thread != SPANS_NO_THREAD)
		thread = row->store->threads[row->store->first_threads[span->process] +
					     span->thread];
	if (span->kind == SEGMENT_SPAN_STEP)
		name = intern_name(&row->ingest->merge.spans.names, span->name);
	row_add(row, row->ids->run, row->ids->process + span->process,
		row_lane(row, span->lane), value_known(thread), span->kind, name,
		value_path(row, span->path), row_time_ns(row, span->begin_ticks),
		row_ns(row, (double)(span->end_ticks - span->begin_ticks)), call_ns,
		split.cpu, split.ready, split.blocked);
}

static void add_spans(struct row *row)
{
	const struct spans *spans = &row->ingest->merge.spans;

	for (size_t i = 0; i < spans->count; i++)
		add_span(row, &spans->all[i]);
}

/* The id of a path; 0 for a step outside of all calls. */
static int64_t path_id(const struct row *row, uint32_t path)
{
	return path ? store_path_id(row->ids, path) : 0;
}

static void add_studies(struct row *row)
{
	const struct studies *studies = &row->ingest->merge.studies;

	for (size_t i = 0; i < studies->count; i++) {
		const struct studies_study *study = &studies->all[i];

		row_add(row, row->ids->run, i + 1, path_id(row, study->path),
			value_filled(study->step), study->reason,
			row_time_ns(row, study->begin_ticks), study->call_count,
			row_ns(row, (double)study->ticks), study->alone_count,
			study->missed_count, study->ready_count,
			row_ns(row, (double)study->ready_ticks), study->folded_count,
			row_ns(row, (double)study->cost_ticks));
	}
}

/* Adds a case. Both numbers count from 0. */
static void add_case(struct row *row, size_t study, size_t number)
{
	const struct ingest *ingest = row->ingest;
	const struct studies_case *from = &ingest->merge.studies.all[study].cases[number];

	row_add(row, row->ids->run, study + 1, number + 1,
		row->ids->process + ingest->run.lanes[from->lane].process,
		row_lane(row, from->lane), path_id(row, from->path), from->is_slow,
		from->number, row_time_ns(row, from->begin_ticks),
		merge_call_ns(&ingest->merge, (double)from->ticks),
		row_ns(row, (double)(from->ticks - from->own_ticks)),
		from->beside_call_count, row_ns(row, (double)from->beside_ticks),
		from->folded_count);
}

static void each_case(struct row *row,
		      void (*add)(struct row *row, size_t study, size_t number))
{
	const struct studies *studies = &row->ingest->merge.studies;

	for (size_t i = 0; i < studies->count; i++)
		for (size_t j = 0; j < studies->all[i].case_count; j++)
			add(row, i, j);
}

static void add_cases(struct row *row)
{
	each_case(row, add_case);
}

/* Limits times, which may be anything in a damaged recording. */
#define NS_MOST 9e18

static int64_t limited(double value)
{
	return (int64_t)(value < NS_MOST ? value : NS_MOST);
}

static void add_case_parts(struct row *row, size_t study, size_t number)
{
	const struct ingest *ingest = row->ingest;
	const struct studies_case *from = &ingest->merge.studies.all[study].cases[number];
	uint32_t process = ingest->run.lanes[from->lane].process;
	const struct hook_cost *hooks = &ingest->merge.process_cost[process];
	struct studies_cost cost = {ingest->ticks.ns_per_tick, hooks->inner_ns,
				    hooks->outer_ns, hooks->alloc_ns};
	auto_free double *total_ns = xcalloc(from->part_count + 1u, sizeof(*total_ns));
	auto_free double *self_ns = xcalloc(from->part_count + 1u, sizeof(*self_ns));

	studies_times(from, &cost, total_ns, self_ns);
	for (uint32_t i = 0; i < from->part_count; i++) {
		const struct studies_part *part = &from->parts[i];

		row_add(row, row->ids->run, study + 1, number + 1,
			path_id(row, part->path), part->is_first, part->call_count,
			limited(total_ns[i]), limited(self_ns[i]), part->alloc_count,
			part->alloc_bytes, part->ready_ns, part->blocked_ns);
	}
}

static void add_parts(struct row *row)
{
	each_case(row, add_case_parts);
}

static const char *const cause_words[] = {
	[SEGMENT_SNAPSHOT_SIGNAL] = "signal",
	[SEGMENT_SNAPSHOT_FUNCTION] = "function",
	[SEGMENT_SNAPSHOT_INTERVAL] = "interval",
	[SEGMENT_SNAPSHOT_COMMAND] = "command",
};

static const char *cause_word(uint32_t cause)
{
	const char *word = NULL;

	if (cause < sizeof(cause_words) / sizeof(cause_words[0]))
		word = cause_words[cause];
	return word ? word : "call";
}

static void add_snapshots(struct row *row)
{
	const struct snapshots *snapshots = &row->ingest->snapshots;

	for (size_t i = 0; i < snapshots->count; i++) {
		const struct snapshot_row *from = &snapshots->all[i];

		row_add_with(row, from->quantities, row->ids->snapshot + (int64_t)i,
			     row->ids->run, row->ids->process + from->process,
			     from->number, from->from->label,
			     cause_word(from->from->cause), from->time_ns);
	}
}

static void add_sites(struct row *row)
{
	const struct snapshots *snapshots = &row->ingest->snapshots;

	for (size_t i = 0; i < snapshots->site_count; i++) {
		const struct snapshot_site *from = &snapshots->sites[i];

		row_add_with(row, from->quantities, row->ids->process + from->process,
			     row->ids->site + from->site,
			     row->ids->snapshot + from->first,
			     row->ids->snapshot + from->until);
	}
}

static void add_paths(struct row *row)
{
	const struct snapshots *snapshots = &row->ingest->snapshots;

	for (size_t i = 0; i < snapshots->path_count; i++) {
		const struct snapshot_path *from = &snapshots->paths[i];

		row_add_with(row, from->quantities, row->ids->process + from->process,
			     store_path_id(row->ids, from->path),
			     row->ids->snapshot + from->first,
			     row->ids->snapshot + from->until);
	}
}

/* born_id 0: before the first snapshot. */
static void add_frees(struct row *row)
{
	const struct snapshots *snapshots = &row->ingest->snapshots;

	for (size_t i = 0; i < snapshots->free_count; i++) {
		const struct change_free *from = &snapshots->frees[i];

		row_add(row, row->ids->process + from->process,
			row->ids->site + from->site,
			from->born ? row->ids->snapshot + from->born - 1 : 0,
			row->ids->snapshot + from->freed - 1, from->count, from->bytes);
	}
}

const struct row_table store_kept_tables[] = {
	{"snapshot", add_snapshots, &quantity_lists[QUANTITY_OF_SNAPSHOT]},
	{"snapshot_site", add_sites, &quantity_lists[QUANTITY_OF_HELD]},
	{"snapshot_path", add_paths, &quantity_lists[QUANTITY_OF_PAST]},
	{"snapshot_free", add_frees, NULL},
	{"span", add_spans, NULL},
	{"study", add_studies, NULL},
	{"study_case", add_cases, NULL},
	{"study_part", add_parts, NULL},
	{NULL},
};

static const char *const kind_words[] = {
	[SEGMENT_LOCK_MUTEX] = "mutex",		[SEGMENT_LOCK_RWLOCK] = "rwlock",
	[SEGMENT_LOCK_SPIN] = "spin",		[SEGMENT_LOCK_CONDITION] = "condition",
	[SEGMENT_LOCK_SEMAPHORE] = "semaphore", [SEGMENT_LOCK_BARRIER] = "barrier",
	[SEGMENT_LOCK_ENDING] = "thread",	[SEGMENT_LOCK_SIGNAL] = "signal",
	[SEGMENT_LOCK_SLEEP] = "sleep",		[SEGMENT_LOCK_CALL] = "call",
};

static const char *const naming_words[] = {
	[LOCK_NAMED_BY_PATH] = "path",
	[LOCK_NAMED_BY_BLOCK] = "block",
	[LOCK_NAMED_BY_VARIABLE] = "variable",
	[LOCK_NAMED_BY_KIND] = "kind",
};

static struct value value_lane(const struct row *row, uint32_t lane)
{
	return lane == LOCK_NO_LANE ? VALUE_NONE : value_integer(row_lane(row, lane));
}

static struct value percentile(const struct row *row, const struct merge_lock *lock,
			       double fraction)
{
	if (histogram_is_empty(&lock->waits))
		return VALUE_NONE;
	return value_integer(row_ns(row, histogram_percentile(&lock->waits, fraction)));
}

static void add_lock(struct row *row, size_t index)
{
	const struct merge_lock *lock = &row->ingest->merge.locks.all[index];
	uint32_t kind = lock->kind;

	if (kind > SEGMENT_LOCK_SIGNAL || kind < SEGMENT_LOCK_MUTEX)
		kind = SEGMENT_LOCK_MUTEX; /* a damaged kind */
	row_add(row, row->ids->run, index + 1, row->ids->process + lock->process,
		lock->name, naming_words[lock->naming], value_filled(lock->module),
		kind_words[kind], lock->address, lock->lock_count, lock->wait_count,
		row_ns(row, (double)lock->wait_ticks), percentile(row, lock, 0.5),
		percentile(row, lock, 0.95), percentile(row, lock, 0.99),
		row_ns(row, (double)lock->longest_wait_ticks), lock->hold_count,
		row_ns(row, (double)lock->hold_ticks),
		row_ns(row, (double)lock->longest_hold_ticks),
		value_path(row, lock->first_path), value_path(row, lock->block_path),
		lock->block_offset);
}

static void add_locks(struct row *row)
{
	for (size_t i = 0; i < row->ingest->merge.locks.count; i++)
		add_lock(row, i);
}

static void add_waits(struct row *row)
{
	const struct locks *locks = &row->ingest->merge.locks;

	for (size_t i = 0; i < locks->wait_count; i++) {
		const struct merge_lock_wait *wait = &locks->waits[i];

		row_add(row, row->ids->run, (int64_t)wait->lock + 1,
			value_lane(row, wait->waiter_lane),
			value_lane(row, wait->holder_lane),
			value_path(row, wait->waiter_path),
			value_path(row, wait->holder_path),
			value_path(row, wait->taken_path), wait->count,
			row_ns(row, (double)wait->ticks),
			row_ns(row, (double)wait->longest_ticks));
	}
}

static void add_stalls(struct row *row)
{
	const struct locks *locks = &row->ingest->merge.locks;

	for (size_t i = 0; i < locks->stalls.count; i++) {
		const struct merge_stall *stall = &locks->stalls.all[i];
		const struct read_lane *lane = &row->ingest->run.lanes[stall->lane];
		uint64_t length = stall->from.end_ticks - stall->from.begin_ticks;

		row_add(row, row->ids->run, row->ids->process + lane->process,
			row_lane(row, stall->lane),
			row_time_ns(row, stall->from.begin_ticks),
			row_ns(row, (double)length), kind_words[stall->from.kind],
			value_if(stall->lock != UINT32_MAX, (int64_t)stall->lock + 1),
			value_path(row, stall->waiter_path),
			value_lane(row, stall->holder_lane),
			value_path(row, stall->holder_path),
			value_path(row, stall->taken_path));
	}
}

/* Adds the windows in which stalls were kept, when not all were. */
static void add_window(struct row *row)
{
	double ns_per_tick = row->ingest->ticks.ns_per_tick;
	uint32_t thinning = row->ingest->merge.locks.stalls.thinning;
	uint64_t start = row->ingest->run.page.start_ticks;
	uint64_t period = 1ull << SEGMENT_STALL_WINDOW_SHIFT << thinning;

	if (thinning)
		row_add(row, row->ids->run, -(double)(start % period) * ns_per_tick,
			(double)(1ull << SEGMENT_STALL_WINDOW_SHIFT) * ns_per_tick,
			(double)period * ns_per_tick);
}

const struct row_table store_lock_tables[] = {
	{"lock", add_locks, NULL},
	{"lock_wait", add_waits, NULL},
	{"stall", add_stalls, NULL},
	{"stall_window", add_window, NULL},
	{NULL},
};
