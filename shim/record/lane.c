/* SPDX-License-Identifier: MIT */
/* Lanes: made on a thread's first event, handed on when it ends. */
#include "shim/record/lane.h"

#include <errno.h>

#include "shim/record/calls.h"
#include "shim/core/chunk.h"
#include "shim/core/clock.h"
#include "shim/memory/deferred.h"
#include "shim/stacks/fiber.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/record/series.h"
#include "shim/memory/site.h"
#include "shim/record/tree.h"

#define PAGE_BYTES 4096u
#define HEADER_BYTES ((sizeof(struct segment_lane) + 63) & ~63ul)
/* What is left of the header's page: most lanes touch no other for their frames. */
#define FIRST_FRAMES ((PAGE_BYTES - HEADER_BYTES) / sizeof(struct segment_frame) - 1)
#define FIBER_SHARE 4	      /* of what is left, one part in so many */
#define RESERVED_FRAMES 16384 /* 640 KiB */

__thread struct lane_context *lane_self;
__thread uint32_t lane_left_slot;
struct lane_context lane_none;

/* Shares of a slot: stacks 5/16, nodes 5/16, functions 5/16, fibers and series the rest.
 * For the usual slot of 256 MiB: 2.1 M frames, 1.3 M nodes, 63,000 functions, 65,536
 * fibers, 256 series.
 * Before the first frame there is one that stays zero, see lane_context.frames. */
void lane_layout(struct segment_lane *lane)
{
	uint64_t slot_size = process_facts.file->slot_size;
	uint64_t share = slot_size / 16 * 5;

	lane->frame_offset = HEADER_BYTES + sizeof(struct segment_frame);
	lane->frame_capacity = (uint32_t)(share / sizeof(struct segment_frame)) - 1;
	lane->node_offset = PAGE_BYTES + share;
	lane->node_capacity = (uint32_t)(share / sizeof(struct segment_node));
	lane->function_offset = PAGE_BYTES + 2 * share;
	lane->function_capacity = (uint32_t)(share / sizeof(struct segment_function));
	lane->fiber_offset = PAGE_BYTES + 3 * share;
	share = slot_size - lane->fiber_offset;
	lane->fiber_capacity =
		(uint32_t)(share / FIBER_SHARE / sizeof(struct segment_fiber));
	if (lane->fiber_capacity > SEGMENT_FIBER_LIMIT)
		lane->fiber_capacity = SEGMENT_FIBER_LIMIT;
	lane->series_offset =
		(lane->fiber_offset +
		 lane->fiber_capacity * sizeof(struct segment_fiber) + 4095) &
		~4095ull;
	lane->series_capacity = (uint32_t)((slot_size - lane->series_offset) /
					   sizeof(struct segment_series));
	if (lane->series_capacity > SEGMENT_SERIES_LIMIT)
		lane->series_capacity = SEGMENT_SERIES_LIMIT;
}

int lane_grow_frames(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	uint64_t have = (uint64_t)(context->limit - context->frames);
	uint64_t more = have ? have : FIRST_FRAMES;

	if (context->fiber != &context->native)
		return chunk_grow(context);
	if (have >= context->chunk_committed)
		return -ENOSPC;
	if (have + more > context->chunk_committed)
		more = context->chunk_committed - have;
	if (process_commit(lane, context->slot,
			   lane->frame_offset + have * sizeof(struct segment_frame),
			   more * sizeof(struct segment_frame)) < 0)
		return -ENOSPC;
	context->limit += more;
	context->native.limit = context->limit;
	lane->frame_committed = (uint32_t)(have + more);
	return 0;
}

/* The lane's own frames, and the thread's own stack as the one in use. */
static int begin_frames(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct fiber *native = &context->native;

	native->frames = (void *)((char *)lane + lane->frame_offset);
	native->top = native->limit = native->frames;
	native->depth = &lane->depth;
	native->clock = (void *)&lane->suspended_ticks;
	context->fiber = native;
	context->frames = context->top = context->limit = native->frames;
	chunk_begin(context);
	context->limit = native->limit = native->frames + lane->frame_committed;
	if (lane->frame_committed || lane_grow_frames(context) == 0)
		return 0;
	context->frames = context->limit = context->top = NULL;
	return -ENOSPC;
}

static void use_lane(struct lane_context *context, struct segment_lane *lane,
		     uint32_t slot)
{
	context->lane = lane;
	context->slot = slot;
	context->nodes = (void *)((char *)lane + lane->node_offset);
	context->functions = (void *)((char *)lane + lane->function_offset);
}

static void publish_lane(struct lane_context *context)
{
	context->next_lane = process->lanes;
	/* release: pairs with the acquire of snapshots */
	__atomic_store_n(&process->lanes, context, __ATOMIC_RELEASE);
	process_publish_slot(context->slot, SEGMENT_SLOT_LANE, process->slot,
			     process->pid);
}

/* The lane that came with the slot of a process that has ended: its tree is there. */
static int resume_lane(struct lane_context *context)
{
	struct segment_lane *lane = process->taken_lane;

	process->taken_lane = NULL;
	use_lane(context, lane, process->taken_lane_slot);
	if (tree_resume(context) < 0 || begin_frames(context) < 0) {
		tree_end(context);
		process_unmap(lane, process_facts.file->slot_size);
		return -ENOMEM;
	}
	publish_lane(context);
	boot_check_modules();
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
	lane_layout(lane);
	lane->process_slot = process->slot;
	lane->magic = SEGMENT_MAGIC_LANE;
	use_lane(context, lane, slot);
	if (tree_begin(context) < 0 || begin_frames(context) < 0)
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
	uint32_t index = segment->thread_count;

	context->thread = UINT32_MAX;
	context->destructor_rounds = 0;
	context->lane->in_use = 1;
	series_begin_thread(context);
	if (index >= segment->thread_capacity ||
	    (index % 64 == 0 &&
	     process_commit(segment, process->slot,
			    segment->thread_offset + index * sizeof(*thread),
			    64 * sizeof(*thread)) < 0)) {
		process_count(SEGMENT_COUNTER_UNLISTED_THREADS, 1);
		return;
	}
	thread = (void *)((char *)segment + segment->thread_offset);
	thread += index;
	if (gate_enter()) {
		thread->tid = (int32_t)SYSCALL(SYS_gettid, 0, 0, 0, 0, 0, 0);
		gate_leave();
	}
	thread->lane_slot = context->slot;
	thread->start_ticks = clock_now();
	context->thread = index;
	context->lane->thread = index;
	/* release: pairs with the reader's acquire of thread_count */
	__atomic_store_n(&segment->thread_count, index + 1, __ATOMIC_RELEASE);
}

/* A context for the calling thread, under the lock: its own wiped one (forked child),
 * one whose thread has ended, or a new one. */
static struct lane_context *take_context(struct lane_context *own)
{
	struct lane_context *context = own;

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
	fiber_begin(context);
	return context;
}

struct lane_context cold *lane_acquire(void)
{
	struct lane_context *context;
	uint64_t mask;

	if (process && !process->ready) {
		process_adopt();
		if (lane_self == &lane_none)
			lane_self = NULL; /* the child begins with this thread */
	}
	if (!process)
		return &lane_none; /* not yet started, or off: ask again next time */
	if (lane_self == &lane_none || !gate_is_open() || !process_lock(&mask))
		return &lane_none;
	if (lane_is_live(lane_self)) { /* a handler was quicker, or adoption did it */
		process_unlock(&mask);
		return lane_self;
	}
	context = process->has_left ? NULL : take_context(lane_self);
	if (context)
		begin_thread(context);
	lane_self = context ? context : &lane_none;
	process_unlock(&mask);
	if (!context)
		return &lane_none;
	boot_thread_begins();
	return lane_self;
}

void lane_reserve(struct lane_context *context)
{
	uint64_t have = 0;

	tree_reserve(context);
	deferred_reserve(context);
	/* grows by doubling, until it does not grow */
	while (context->fiber == &context->native &&
	       context->limit - context->top < RESERVED_FRAMES &&
	       have != (uint64_t)(context->limit - context->frames)) {
		have = (uint64_t)(context->limit - context->frames);
		lane_grow_frames(context);
	}
}

void lane_close_frame(struct lane_context *context, struct segment_frame *frame,
		      uint64_t now)
{
	struct segment_node *node = &context->nodes[frame->node];

	if (frame->function == CALLS_ENDED_REGION)
		return; /* it has had its end */
	context->lane->repaired_frame_count++;
	if (!frame->node)
		return;
	if ((int64_t)(now - frame->start_ticks) > 0)
		node->total_ticks += now - frame->start_ticks;
	node->unfinished_count++;
	frame->node = 0;
}

void lane_close_frames(struct lane_context *context, struct fiber *fiber)
{
	uint64_t now = fiber->clock->left_ticks - fiber->clock->suspended_ticks;

	while (fiber->top > fiber->frames) {
		fiber->top--;
		lane_close_frame(context, fiber->top, now);
	}
	fiber->current = LANE_ROOT;
}

void lane_unwind(struct lane_context *context, struct segment_frame *new_top,
		 uint64_t now)
{
	while (context->top > new_top) {
		struct segment_frame *frame = context->top - 1;

		lane_close_frame(context, frame, now);
		context->current = frame->parent_node;
		__atomic_fetch_sub(context->depth, 1, __ATOMIC_RELAXED);
		context->top = frame;
	}
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

void lane_release(void)
{
	struct lane_context *context = lane_self;
	uint64_t mask;

	if (!lane_is_live(context) || !process_is_ready())
		return;
	fiber_end(context);
	if (context->thread != UINT32_MAX) {
		struct segment_thread *thread = (void *)((char *)process->segment +
							 process->segment->thread_offset);

		thread += context->thread;
		if (gate_enter()) {
			SYSCALL(SYS_prctl, 16 /* PR_GET_NAME */, thread->name, 0, 0, 0,
				0);
			gate_leave();
		}
		thread->end_ticks = clock_now();
	}
	context->current = LANE_ROOT;
	context->last_blocks[0] = context->last_blocks[1] = 0;
	context->lane->in_use = 0;
	lane_self = &lane_none;
	lane_left_slot = context->slot;
	if (!process_lock(&mask))
		return; /* no thread will be given a lane any more */
	give_back(context);
	process_unlock(&mask);
}

struct lane_context cold *lane_borrow(struct lane_loan *loan)
{
	struct lane_context *context = NULL;
	uint64_t mask;

	loan->before = lane_self;
	if (!process_is_ready() || !gate_block_signals(&loan->mask))
		return NULL;
	if (process_lock(&mask)) {
		if (process->free_lanes || may_make_lane())
			context = take_context(NULL);
		process_unlock(&mask);
	}
	if (!context) {
		gate_restore_signals(&loan->mask);
		return NULL;
	}
	/* one stack for all: the thread's own has nobody to ask for any more */
	context->stack_low = 0;
	context->stack_size = UINTPTR_MAX;
	lane_self = context;
	return context;
}

void cold lane_return(const struct lane_loan *loan)
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
