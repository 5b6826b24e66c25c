/* SPDX-License-Identifier: MIT */
/* The rows of a run's locks: lock, lock_wait, stall, stall_window. */
#include "common/libc/records.h"
#include "collector/store/row.h"

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
