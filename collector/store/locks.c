/* SPDX-License-Identifier: MIT */
/* The rows of a run's locks: lock, lock_wait. */
#include <sqlite3.h>

#include "common/libc/records.h"
#include "collector/locks/locks.h"
#include "collector/store/ids.h"
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

static void path_or_null(struct row *row, const struct store_ids *ids, uint32_t path)
{
	if (path)
		row_int(row, store_path_id(ids, path));
	else
		row_null(row);
}

static void lane_or_null(struct row *row, const struct ingest *ingest,
			 const struct store_ids *ids, uint32_t lane)
{
	if (lane != LOCK_NO_LANE)
		row_int(row, store_lane_id(ids, ingest, lane));
	else
		row_null(row);
}

static int64_t ns(const struct ingest *ingest, double ticks)
{
	return ticks_duration_ns(&ingest->ticks, ticks);
}

static void percentile(struct row *row, const struct ingest *ingest,
		       const struct merge_lock *lock, double fraction)
{
	if (histogram_is_empty(&lock->waits))
		row_null(row);
	else
		row_int(row, ns(ingest, histogram_percentile(&lock->waits, fraction)));
}

static void lock_row(struct row *row, const struct ingest *ingest,
		     const struct store_ids *ids, size_t index)
{
	const struct merge_lock *lock = &ingest->merge.locks->all[index];
	uint32_t kind = lock->kind;

	if (kind > SEGMENT_LOCK_SIGNAL || kind < SEGMENT_LOCK_MUTEX)
		kind = SEGMENT_LOCK_MUTEX; /* a damaged one */
	row_int(row, ids->run);
	row_int(row, (int64_t)index + 1);
	row_int(row, ids->process + lock->process);
	row_text(row, lock->name);
	row_text(row, naming_words[lock->naming]);
	row_filled_text(row, lock->module);
	row_text(row, kind_words[kind]);
	row_count(row, lock->address);
	row_count(row, lock->lock_count);
	row_count(row, lock->wait_count);
	row_int(row, ns(ingest, (double)lock->wait_ticks));
	percentile(row, ingest, lock, 0.5);
	percentile(row, ingest, lock, 0.95);
	percentile(row, ingest, lock, 0.99);
	row_int(row, ns(ingest, (double)lock->longest_wait_ticks));
	row_count(row, lock->hold_count);
	row_int(row, ns(ingest, (double)lock->hold_ticks));
	row_int(row, ns(ingest, (double)lock->longest_hold_ticks));
	path_or_null(row, ids, lock->first_path);
	path_or_null(row, ids, lock->block_path);
	row_count(row, lock->block_offset);
	row_next(row);
}

static int insert_locks(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	struct row row;

	row_open(&row, store, "lock",
		 "run_id, lock_id, process_id, name, named_by, module, kind, address, "
		 "lock_count, wait_count, wait_ns, p50_wait_ns, p95_wait_ns, "
		 "p99_wait_ns, max_wait_ns, hold_count, hold_ns, max_hold_ns, "
		 "first_path_id, block_path_id, block_offset");
	for (size_t i = 0; i < ingest->merge.locks->count; i++)
		lock_row(&row, ingest, ids, i);
	return row_close(&row);
}

static int insert_waits(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	const struct locks *locks = ingest->merge.locks;
	struct row row;

	row_open(&row, store, "lock_wait",
		 "run_id, lock_id, waiter_lane_id, holder_lane_id, waiter_path_id, "
		 "holder_path_id, taken_path_id, "
		 "wait_count, wait_ns, max_wait_ns");
	for (size_t i = 0; i < locks->wait_count; i++) {
		const struct merge_lock_wait *wait = &locks->waits[i];

		row_int(&row, ids->run);
		row_int(&row, (int64_t)wait->lock + 1);
		lane_or_null(&row, ingest, ids, wait->waiter_lane);
		lane_or_null(&row, ingest, ids, wait->holder_lane);
		path_or_null(&row, ids, wait->waiter_path);
		path_or_null(&row, ids, wait->holder_path);
		path_or_null(&row, ids, wait->taken_path);
		row_count(&row, wait->count);
		row_int(&row, ns(ingest, (double)wait->ticks));
		row_int(&row, ns(ingest, (double)wait->longest_ticks));
		row_next(&row);
	}
	return row_close(&row);
}

static void stall_row(struct row *row, const struct ingest *ingest,
		      const struct store_ids *ids, const struct merge_stall *stall)
{
	const struct ticks *ticks = &ingest->ticks;
	uint64_t length = stall->from.end_ticks - stall->from.begin_ticks;

	row_int(row, ids->run);
	row_int(row, ids->process + ingest->run.lanes[stall->lane].process);
	row_int(row, store_lane_id(ids, ingest, stall->lane));
	row_int(row, ticks_since_start_ns(ticks, stall->from.begin_ticks));
	row_int(row, ns(ingest, (double)length));
	row_text(row, kind_words[stall->from.kind]);
	row_known(row, stall->lock == UINT32_MAX ? -1 : (int64_t)stall->lock + 1);
	path_or_null(row, ids, stall->waiter_path);
	lane_or_null(row, ingest, ids, stall->holder_lane);
	path_or_null(row, ids, stall->holder_path);
	path_or_null(row, ids, stall->taken_path);
	row_next(row);
}

static int insert_stalls(struct store *store, const struct ingest *ingest,
			 const struct store_ids *ids)
{
	const struct locks *locks = ingest->merge.locks;
	struct row row;

	row_open(&row, store, "stall",
		 "run_id, process_id, lane_id, started_ns, wait_ns, kind, lock_id, "
		 "waiter_path_id, holder_lane_id, holder_path_id, taken_path_id");
	for (size_t i = 0; i < locks->stalls.count; i++)
		stall_row(&row, ingest, ids, &locks->stalls.all[i]);
	return row_close(&row);
}

/* Which windows the stalls are of, where not all were kept. */
static int insert_windows(struct store *store, const struct ingest *ingest,
			  const struct store_ids *ids)
{
	double ns_per_tick = ingest->ticks.ns_per_tick;
	uint32_t thinning = ingest->merge.locks->stalls.thinning;
	uint64_t start = ingest->run.page.start_ticks;
	uint64_t period = 1ull << SEGMENT_STALL_WINDOW_SHIFT << thinning;
	struct row row;

	if (!thinning)
		return SQLITE_OK;
	row_open(&row, store, "stall_window", "run_id, first_ns, window_ns, period_ns");
	row_int(&row, ids->run);
	row_real(&row, -(double)(start % period) * ns_per_tick);
	row_real(&row, (double)(1ull << SEGMENT_STALL_WINDOW_SHIFT) * ns_per_tick);
	row_real(&row, (double)period * ns_per_tick);
	row_next(&row);
	return row_close(&row);
}

int store_lock_rows(struct store *store, const struct ingest *ingest,
		    const struct store_ids *ids)
{
	int code = insert_locks(store, ingest, ids);

	if (code == SQLITE_OK)
		code = insert_waits(store, ingest, ids);
	if (code == SQLITE_OK)
		code = insert_stalls(store, ingest, ids);
	return code == SQLITE_OK ? insert_windows(store, ingest, ids) : code;
}
