/* SPDX-License-Identifier: MIT */
/* Lanes: made on a thread's first event, handed on when it ends. */
#include "shim/events/context.h"

#include <errno.h>

#include "common/segment_series.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/frames.h"
#include "shim/lane/spans.h"
#include "shim/lane/tree.h"
#include "shim/memory/site.h"
#include "shim/patch/modes.h"
#include "shim/budget/counting.h"
#include "shim/children/slots.h"
#include "shim/samples/samples.h"
#include "shim/waits/locks.h"
#include "shim/waits/off_cpu.h"
#include "shim/waits/switches.h"

static void use_lane(struct lane_context *context, struct segment_lane *lane,
		     uint32_t slot)
{
	context->lane = lane;
	context->slot = slot;
	context->check_ticks = UINT64_MAX;
	context->nodes = arrays_entries(lane, &lane->nodes);
	context->call_sites = arrays_entries(lane, &lane->call_sites);
	context->functions = arrays_entries(lane, &lane->functions);
}

static void publish_lane(struct lane_context *context)
{
	context->next_lane = process->lanes;
	/* release: pairs with the acquire of snapshots */
	__atomic_store_n(&process->lanes, context, __ATOMIC_RELEASE);
	process_publish_slot(context->slot, SEGMENT_SLOT_LANE, process->slot,
			     process->pid);
}

/* Takes the lane in the slot of a process that has ended; its tree is still there. */
static int resume_lane(struct lane_context *context)
{
	struct segment_lane *lane = process->taken_lane;

	process->taken_lane = NULL;
	use_lane(context, lane, process->taken_lane_slot);
	if (tree_resume(context) < 0 || frames_begin(context) < 0) {
		tree_end(context);
		process_unmap(lane, process_facts.file->slot_size);
		return -ENOMEM;
	}
	publish_lane(context);
	upcalls.check_modules();
	return 0;
}

/* A lane in a slot of its own. The caller holds the process lock. */
static int make_lane(struct lane_context *context)
{
	uint64_t slot_size = process_facts.file->slot_size;
	struct segment_lane *lane;
	uint32_t slot = 0;

	if (process->taken_lane && resume_lane(context) == 0)
		return 0;
	lane = process_new_slot(&slot);
	if (!lane)
		return -ENOMEM;
	if (process_commit(lane, slot, 0, sizeof(*lane)) < 0) {
		process_keep_slot(lane, slot);
		return -ENOSPC;
	}
	arrays_lay_out(SEGMENT_SLOT_LANE, lane, slot_size);
	lane->process_slot = process->slot;
	lane->magic = SEGMENT_MAGIC_LANE;
	use_lane(context, lane, slot);
	if (tree_begin(context) < 0 || frames_begin(context) < 0)
		goto refused;
	if (!process->lanes)
		process->segment->lane_slot = slot;
	publish_lane(context);
	return 0;

refused:
	tree_end(context);
	process_unmap(lane, slot_size);
	return -ENOSPC;
}

/* The thread's row. Threads past the table's capacity go without one. */
static void begin_thread(struct lane_context *context)
{
	struct segment_process *segment = process->segment;
	struct segment_thread *thread;
	uint32_t index = segment->threads.count;

	context->thread = UINT32_MAX;
	context->tid = 0;
	if (gate_enter()) {
		context->tid = (int32_t)SYSCALL(SYS_gettid, 0, 0, 0, 0, 0, 0);
		gate_leave();
	}
	locks_begin_lane(context);
	context->destructor_rounds = 0;
	context->lane->in_use = 1;
	lane_forget_steps(context->lane); /* of the thread before */
	if (process_grow(segment, process->slot, ARRAY_THREADS, index + 1) < 0) {
		process_count(SEGMENT_COUNTER_UNLISTED_THREADS, 1);
		return;
	}
	thread = arrays_entries(segment, &segment->threads);
	thread += index;
	thread->tid = context->tid;
	thread->lane_slot = context->slot;
	thread->start_ticks = clock_now();
	context->thread = index;
	context->lane->thread = index;
	arrays_publish(&segment->threads, index + 1);
}

/* Gives the calling thread a context, under the lock: its own wiped one (in a forked
 * child), that of an ended thread, or a new one. */
static struct lane_context *take_context(struct lane_context *own)
{
	struct lane_context *context = lane_is_absent(own) ? NULL : own;

	if (!context && process->free_lanes) {
		context = process->free_lanes;
		process->free_lanes = context->next_free;
		context->next_free = NULL;
	}
	if (!context) {
		context = process_map(sizeof(*context), 1);
		if (!context)
			return NULL;
		process_count(SEGMENT_COUNTER_TOOL_BYTES, sizeof(*context));
	}
	if (!context->frames && make_lane(context) < 0) {
		if (context != own)
			process_unmap(context, sizeof(*context));
		return NULL;
	}
	spans_begin(context);
	fiber_begin(context);
	context->paused_ticks = context->lane->paused_ticks = paused.total_ticks;
	budget_begin(context);
	modes_begin_lane(context);
	switches_begin_lane(context);
	samples_begin_lane(context);
	return context;
}

struct lane_context cold *context_acquire(void)
{
	struct lane_context *context;
	uint64_t mask;

	if (process && !process->ready) {
		adopt_process();
		if (process)
			changes_forked();
		if (lane_self == &lane_none)
			lane_self = &lane_absent; /* the child begins with this thread */
	}
	if (!process)
		return NULL; /* not yet started, or off: ask again next time */
	if (lane_self == &lane_none || !gate_is_open() || !process_lock(&mask))
		return NULL;
	if (lane_is_live(lane_self)) { /* a handler or adoption made it meanwhile */
		process_unlock(&mask);
		return lane_self;
	}
	context = process->has_left ? NULL : take_context(lane_self);
	if (context) {
		begin_thread(context);
		off_cpu_begin(context);
	}
	lane_self = context ? context : &lane_none;
	process_unlock(&mask);
	if (context) {
		upcalls.thread_begins();
		changes_follow(context);
	}
	return context;
}

struct lane_context cold *context_settle(uintptr_t stack)
{
	struct lane_context *context = context_get();

	if (!context)
		return NULL;
	if (paused_is_on()) {
		if (!paused_holds(context, stack))
			fiber_settle(context, stack);
		return context;
	}
	if (paused_was(context)) {
		paused_take_up(context);
		off_cpu_skip(context);
		samples_skip(context);
	}
	if (!fiber_is_current(context, stack)) {
		fiber_settle(context, stack);
		samples_settle(context);
	}
	return context;
}

/* With the gate closed we rely on vfork's wrapper; a child made another way goes
 * undetected. */
int context_is_own_process(void)
{
	const struct lane_context *context = lane_own();
	int is_own;

	if (!gate_enter())
		return !context || !context->is_vforking;
	is_own = (int32_t)SYSCALL(SYS_getpid, 0, 0, 0, 0, 0, 0) == process->pid;
	gate_leave();
	return is_own;
}

void context_reserve(struct lane_context *context)
{
	tree_reserve(context);
	deferred_reserve(context);
	frames_reserve(context);
	if (context->spans.floor_ticks != SPANS_NEVER)
		spans_reserve(context);
}

/* Spares a thread without a lane the attempt at each allocation. */
static int may_make_lane(void)
{
	const struct segment_file *file = process_facts.file;

	return process_may_grow() &&
	       __atomic_load_n(&file->slot_count, __ATOMIC_RELAXED) < file->slot_limit;
}

/* Under the lock. */
static void give_back(struct lane_context *context)
{
	context->next_free = process->free_lanes;
	process->free_lanes = context;
}

void context_release(void)
{
	struct lane_context *context = lane_own();
	uint64_t end_ticks, mask;

	if (!context || !process_is_ready())
		return;
	if (!paused_is_on() && paused_was(context))
		paused_take_up(context);
	busy_leave_all(context);
	end_ticks = off_cpu_note_thread(context);
	samples_end_lane(context);
	switches_end_lane(context);
	locks_end_lane(context);
	/* three system calls, worth it only when there is something to compare */
	if (context->lane->transfers.count && gate_enter()) {
		own_io_end_thread();
		gate_leave();
	}
	fiber_end(context);
	if (context->thread != UINT32_MAX) {
		struct segment_thread *thread =
			arrays_entries(process->segment, &process->segment->threads);

		thread += context->thread;
		if (gate_enter()) {
			SYSCALL(SYS_prctl, 16 /* PR_GET_NAME */, thread->name, 0, 0, 0,
				0);
			gate_leave();
		}
		thread->end_ticks = end_ticks;
	}
	context->current = LANE_ROOT;
	context->last_blocks[0] = context->last_blocks[1] = 0;
	context->lane->in_use = 0;
	context->tid = 0;
	lane_self = &lane_none;
	lane_left_slot = context->slot;
	if (!process_lock(&mask))
		return; /* no thread gets a lane any more */
	give_back(context);
	process_unlock(&mask);
}

struct lane_context cold *context_borrow(struct context_loan *loan)
{
	struct lane_context *context = NULL;
	uint64_t mask;

	loan->before = lane_self;
	if (!process_is_ready() || !gate_block_signals(&loan->mask))
		return NULL;
	if (process_lock(&mask)) {
		if (process->free_lanes || may_make_lane())
			context = take_context(&lane_absent);
		process_unlock(&mask);
	}
	if (!context) {
		gate_restore_signals(&loan->mask);
		return NULL;
	}
	/* any address counts as its stack: the thread's own can no longer be asked for */
	context->stack_low = 0;
	context->stack_size = UINTPTR_MAX;
	lane_self = context;
	return context;
}

void cold context_return(const struct context_loan *loan)
{
	struct lane_context *context = lane_self;
	uint64_t mask;

	context->last_blocks[0] = context->last_blocks[1] = 0;
	lane_self = loan->before;
	lane_left_slot = context->slot;
	if (process_lock(&mask)) {
		give_back(context);
		process_unlock(&mask);
	}
	gate_restore_signals(&loan->mask);
}
