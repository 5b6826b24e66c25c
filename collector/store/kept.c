/* SPDX-License-Identifier: MIT */
/* The rows of kept calls (spans, studies with their cases and parts), of snapshots, and
 * of locks (lock, lock_wait, stall, stall_window). */
#include <stdlib.h>

#include "collector/store/row.h"
#include "common/base/xalloc.h"
#include "common/libc/calls.h"
#include "common/segment_slow.h"

static void add_span(struct row *row, const void *element)
{
	const struct merge_span *span = element;
	int64_t call_ns = row_ns(row, (double)span->ticks), thread = -1;
	struct split_values split =
		row_split(span->is_split, call_ns, span->ready_ns, span->blocked_ns);
	const char *name = NULL;

	if (span->thread != SPANS_NO_THREAD)
		thread = row->store->threads[row->store->first_threads[span->process] +
					     span->thread];
	if (span->kind == SEGMENT_SPAN_STEP)
		name = intern_name(&row->ingest->merge.names, span->name);
	row_add(row, row->ids->run, row_process(row, span->process),
		row_lane(row, span->lane), value_known(thread), span->kind, name,
		value_path(row, span->path), row_time_ns(row, span->begin_ticks),
		row_ns(row, (double)(span->end_ticks - span->begin_ticks)), call_ns,
		split.cpu, split.ready, split.blocked);
}

/* The id of a path; 0 for a step outside of all calls. */
static int64_t path_id(const struct row *row, uint32_t path)
{
	return path ? store_path_id(row->ids, path) : 0;
}

static void add_study(struct row *row, const void *element)
{
	const struct studies_study *study = element;

	row_add(row, row->ids->run, row->index + 1, path_id(row, study->path),
		value_filled(study->step), study->reason,
		row_time_ns(row, study->begin_ticks), study->call_count,
		row_ns(row, (double)study->ticks), study->alone_count,
		study->missed_count, study->ready_count,
		row_ns(row, (double)study->ready_ticks), study->folded_count,
		row_ns(row, (double)study->cost_ticks));
}

static void add_cases(struct row *row, const void *element)
{
	const struct ingest *ingest = row->ingest;
	const struct studies_study *study = element;

	for (size_t i = 0; i < study->case_count; i++) {
		const struct studies_case *from = &study->cases[i];

		row_add(row, row->ids->run, row->index + 1, i + 1,
			row_process(row, ingest->run.lanes[from->lane].process),
			row_lane(row, from->lane), path_id(row, from->path),
			from->is_slow, from->number, row_time_ns(row, from->begin_ticks),
			merge_call_ns(&ingest->merge, (double)from->ticks),
			row_ns(row, (double)(from->ticks - from->own_ticks)),
			from->beside_call_count, row_ns(row, (double)from->beside_ticks),
			from->folded_count);
	}
}

/* Limits times, which may be anything in a damaged recording. */
#define NS_MOST 9e18

static int64_t limited(double value)
{
	return (int64_t)(value < NS_MOST ? value : NS_MOST);
}

static void add_case_parts(struct row *row, const struct studies_case *from,
			   size_t number)
{
	const struct ingest *ingest = row->ingest;
	uint32_t process = ingest->run.lanes[from->lane].process;
	const struct hook_cost *hooks = &ingest->merge.process_cost[process];
	struct studies_cost cost = {ingest->ticks.ns_per_tick, hooks->inner_ns,
				    hooks->outer_ns, hooks->alloc_ns};
	auto_free double *total_ns = xcalloc(from->part_count + 1u, sizeof(*total_ns));
	auto_free double *self_ns = xcalloc(from->part_count + 1u, sizeof(*self_ns));

	studies_times(from, &cost, total_ns, self_ns);
	for (uint32_t i = 0; i < from->part_count; i++) {
		const struct studies_part *part = &from->parts[i];

		row_add(row, row->ids->run, row->index + 1, number,
			path_id(row, part->path), part->is_first, part->call_count,
			limited(total_ns[i]), limited(self_ns[i]), part->alloc_count,
			part->alloc_bytes, part->ready_ns, part->blocked_ns);
	}
}

static void add_parts(struct row *row, const void *element)
{
	const struct studies_study *study = element;

	for (size_t i = 0; i < study->case_count; i++)
		add_case_parts(row, &study->cases[i], i + 1);
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

static void add_snapshot(struct row *row, const void *element)
{
	const struct snapshot_row *from = element;

	row_add(row, row->ids->snapshot + (int64_t)row->index, row->ids->run,
		row_process(row, from->process), from->number, from->from->label,
		cause_word(from->from->cause), from->time_ns);
}

static void add_site(struct row *row, const void *element)
{
	const struct snapshot_site *from = element;

	row_add(row, row_process(row, from->process), row->ids->site + from->site,
		row->ids->snapshot + from->first, row->ids->snapshot + from->until);
}

static void add_path(struct row *row, const void *element)
{
	const struct snapshot_path *from = element;

	row_add(row, row_process(row, from->process), store_path_id(row->ids, from->path),
		row->ids->snapshot + from->first, row->ids->snapshot + from->until);
}

/* born_id 0: before the first snapshot. */
static void add_free(struct row *row, const void *element)
{
	const struct change_free *from = element;

	row_add(row, row_process(row, from->process), row->ids->site + from->site,
		from->born ? row->ids->snapshot + from->born - 1 : 0,
		row->ids->snapshot + from->freed - 1, from->count, from->bytes);
}

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

static void add_lock(struct row *row, const void *element)
{
	const struct merge_lock *lock = element;
	uint32_t kind = lock->kind;

	if (kind > SEGMENT_LOCK_SIGNAL || kind < SEGMENT_LOCK_MUTEX)
		kind = SEGMENT_LOCK_MUTEX; /* a damaged kind */
	row_add(row, row->ids->run, row->index + 1, row_process(row, lock->process),
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

static void add_wait(struct row *row, const void *element)
{
	const struct merge_lock_wait *wait = element;

	row_add(row, row->ids->run, (int64_t)wait->lock + 1,
		value_lane(row, wait->waiter_lane), value_lane(row, wait->holder_lane),
		value_path(row, wait->waiter_path), value_path(row, wait->holder_path),
		value_path(row, wait->taken_path), wait->count,
		row_ns(row, (double)wait->ticks),
		row_ns(row, (double)wait->longest_ticks));
}

static void add_stall(struct row *row, const void *element)
{
	const struct merge_stall *stall = element;
	uint64_t length = stall->from.end_ticks - stall->from.begin_ticks;

	row_add(row, row->ids->run,
		row_process(row, row->ingest->run.lanes[stall->lane].process),
		row_lane(row, stall->lane), row_time_ns(row, stall->from.begin_ticks),
		row_ns(row, (double)length), kind_words[stall->from.kind],
		value_if(stall->lock != UINT32_MAX, (int64_t)stall->lock + 1),
		value_path(row, stall->waiter_path), value_lane(row, stall->holder_lane),
		value_path(row, stall->holder_path), value_path(row, stall->taken_path));
}

/* Adds the windows in which stalls were kept, when not all were. */
static void add_window(struct row *row, const void *element)
{
	double ns_per_tick = row->ingest->ticks.ns_per_tick;
	uint32_t thinning = row->ingest->merge.locks.stalls.thinning;
	uint64_t start = row->ingest->run.page.start_ticks;
	uint64_t period = 1ull << SEGMENT_STALL_WINDOW_SHIFT << thinning;

	(void)element;
	if (thinning)
		row_add(row, row->ids->run, -(double)(start % period) * ns_per_tick,
			(double)(1ull << SEGMENT_STALL_WINDOW_SHIFT) * ns_per_tick,
			(double)period * ns_per_tick);
}

const struct row_table store_kept_tables[] = {
	{"lock", add_lock, ROW_LIST(merge.locks.all, merge.locks.count)},
	{"lock_wait", add_wait, ROW_LIST(merge.locks.waits, merge.locks.wait_count)},
	{"stall", add_stall, ROW_LIST(merge.locks.stalls.all, merge.locks.stalls.count)},
	{"stall_window", add_window},
	{"snapshot", add_snapshot, ROW_LIST(snapshots.all, snapshots.count),
	 ROW_QUANTITIES(snapshots.all, SNAPSHOT)},
	{"snapshot_site", add_site, ROW_LIST(snapshots.sites, snapshots.site_count),
	 ROW_QUANTITIES(snapshots.sites, HELD)},
	{"snapshot_path", add_path, ROW_LIST(snapshots.paths, snapshots.path_count),
	 ROW_QUANTITIES(snapshots.paths, PAST)},
	{"snapshot_free", add_free, ROW_LIST(snapshots.frees, snapshots.free_count)},
	{"span", add_span, ROW_LIST(merge.spans.all, merge.spans.count)},
	{"study", add_study, ROW_LIST(merge.studies.all, merge.studies.count)},
	{"study_case", add_cases, ROW_LIST(merge.studies.all, merge.studies.count)},
	{"study_part", add_parts, ROW_LIST(merge.studies.all, merge.studies.count)},
	{NULL},
};
