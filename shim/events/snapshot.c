/* SPDX-License-Identifier: MIT */
/*
 * Takes snapshots into the process's history, which it makes or maps when needed. Runs
 * on: traced threads, any context. Must not call libc, nor wait for a lock while signals
 * are not blocked.
 *
 * LOCKS. The snapshot lock is outermost and taken with signals blocked; the process lock
 * is taken inside it, for a moment each time. Whoever saves a site's past holds that
 * site's lock and may take the process lock inside it; nobody who holds the process lock
 * asks for a site.
 */
#include "shim/events/events.h"

#include <errno.h>

#include "common/history.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/process.h"
#include "shim/memory/site_past.h"
#include "shim/events/context.h"
#include "shim/waits/off_cpu.h"

/* A collector writes a snapshot in microseconds, a thread of the process in milliseconds.
 * Either may lose its CPU, and asking every 50 us takes the CPU from them. So we soon ask
 * at longer intervals, for a quarter of a second in all. A holder that takes longer has
 * been stopped; we wait for it only once. */
#define SHORT_PAUSES 20
#define LOCK_PAUSES (SHORT_PAUSES + 250)
#define SHORT_PAUSE_NS 50000u
#define LONG_PAUSE_NS 1000000u

static uint32_t slow_holder; /* of the lock, when we last waited in vain */

static void pause_taker(int step)
{
	gate_sleep(step < SHORT_PAUSES ? SHORT_PAUSE_NS : LONG_PAUSE_NS);
}

/* Resident memory now; 0: not known. */
static uint64_t resident_bytes(void)
{
	uint64_t pages;

	if (!gate_enter())
		return 0;
	pages = own_io_second_number("/proc/self/statm");
	gate_leave();
	return pages == UINT64_MAX ? 0 : pages * 4096;
}

/* How long a lane's thread has been without a CPU since its last hook. Any thread may
 * read the CPU clocks of its process's threads. */
static uint64_t open_ns(const struct segment_lane *lane)
{
	struct history_booked booked = history_read_booked(lane);
	/* one thread's CPU clock, see clock_getcpuclockid(3) */
	clockid_t clock = (clockid_t)((~(uint32_t)booked.tid << 3) | 6);
	uint64_t wall_ns, cpu_ns;

	if (booked.tid <= 0 || !gate_enter())
		return 0;
	wall_ns = clock_monotonic();
	cpu_ns = clock_ask(clock);
	gate_leave();
	return cpu_ns == UINT64_MAX ? 0 : history_open_ns(lane, &booked, wall_ns, cpu_ns);
}

static int copy_lane(struct history *history, struct lane_context *context, uint64_t now)
{
	struct history_memory *memory = &context->snapshot_memory;
	struct history_lane lane = {.header = context->lane,
				    .size = history->size,
				    .slot = context->slot,
				    .memory = memory};
	uint64_t bytes;
	int result;

	if (!memory->node_limit)
		memory->node_limit = context->lane->nodes.capacity;
	bytes = (uint64_t)memory->node_limit * sizeof(uint64_t);
	if (!memory->sums)
		memory->sums = process_map(bytes, 1);
	if (!memory->open_ticks)
		memory->open_ticks = process_map(bytes, 1);
	if (!memory->sums || !memory->open_ticks)
		return -ENOMEM;
	lane.open_ns = open_ns(context->lane);
	result = history_copy_lane(history, &lane, now);
	return result == -EINVAL ? 0 : result;
}

/* The snapshot failed: forgets what was written, so that the next one writes it again. */
static void forget(struct lane_context *lane)
{
	for (; lane; lane = lane->next_lane)
		if (lane->snapshot_memory.sums && lane->snapshot_memory.open_ticks)
			history_forget(&lane->snapshot_memory, lane->lane->nodes.count);
}

static int take(struct history *history, const char *label,
		enum segment_snapshot_cause cause)
{
	struct segment_snapshot *snapshot = history_begin(history, label, cause);
	/* acquire: lanes in the list are whole */
	struct lane_context *lanes = __atomic_load_n(&process->lanes, __ATOMIC_ACQUIRE);
	uint64_t now;
	int result = 0;

	if (!snapshot)
		return -ENOSPC;
	snapshot->rss_bytes = resident_bytes();
	off_cpu_book_switch(lane_self);
	now = clock_now();
	for (struct lane_context *lane = lanes; lane && result == 0;
	     lane = lane->next_lane)
		result = copy_lane(history, lane, now);
	if (result < 0)
		forget(lanes);
	else
		history_end(history, snapshot, now);
	return result;
}

/* 0, or -EBUSY. A holder that does not come to an end, because it is stopped, is not
 * waited for again. */
static int lock_history(uint32_t *lock)
{
	/* relaxed: only decides how long to wait */
	uint32_t holder = __atomic_load_n(lock, __ATOMIC_RELAXED);
	int is_slow = holder && holder == __atomic_load_n(&slow_holder, __ATOMIC_RELAXED);
	int result = history_lock(lock, SEGMENT_LOCK_THREAD, is_slow ? 0 : LOCK_PAUSES,
				  pause_taker);

	holder = __atomic_load_n(lock, __ATOMIC_RELAXED);
	if (result == 0 || holder == SEGMENT_LOCK_THREAD)
		holder = 0;
	__atomic_store_n(&slow_holder, holder, __ATOMIC_RELAXED);
	return result;
}

/* Signals are blocked. */
static int take_locked(const char *label, enum segment_snapshot_cause cause)
{
	struct history history = {.process = process->segment,
				  .size = process_facts.file->slot_size,
				  .commit = site_past_commit};
	int result = lock_history(&history.process->snapshot_lock);

	if (result < 0)
		return result;
	history.header = history.commit_data = site_past_history(1);
	result = history.header ? history_open(&history) : -ENOMEM;
	if (result == 0)
		result = take(&history, label, cause);
	history_unlock(&history.process->snapshot_lock);
	return result;
}

void snapshot_take(const char *label, enum segment_snapshot_cause cause)
{
	int result = -EBUSY;
	uint64_t mask;

	if (!process)
		return;
	/* no snapshots in a reused slot: its counts include those of the process
	 * before */
	if (context_get() && !process->segment->tenancy && gate_block_signals(&mask)) {
		result = take_locked(label ? label : "", cause);
		gate_restore_signals(&mask);
	}
	if (result < 0)
		history_refuse(process->segment);
}
