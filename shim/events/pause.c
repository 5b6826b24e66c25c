/* SPDX-License-Identifier: MIT */
/*
 * Begin and end of pauses. Runs on: traced threads, any context. Whoever changes the
 * state holds the process lock. A lane that is not yet in the list sees the state when it
 * settles. One that settles at the same time marks itself or is marked: it stores its
 * stack before it reads the state, and was listed before the state changed.
 */
#include "shim/events/events.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/functions.h"
#include "shim/events/context.h"
#include "shim/waits/off_cpu.h"

void pause_begin(void)
{
	uint64_t mask;

	if (!process_is_ready() || paused_is_on() || !process_lock(&mask))
		return;
	if (!paused.is_on) {
		paused.since_ticks = clock_now();
		__atomic_store_n(&paused.is_on, 1, __ATOMIC_SEQ_CST);
		for (struct lane_context *lane = process->lanes; lane;
		     lane = lane->next_lane)
			paused_mark(lane);
		process_count(SEGMENT_COUNTER_PAUSES, 1);
		paused_publish();
	}
	process_unlock(&mask);
}

void pause_end(void)
{
	uint64_t mask;

	if (!process_is_ready() || !paused_is_on() || !process_lock(&mask))
		return;
	if (paused.is_on) {
		paused.total_ticks += clock_now() - paused.since_ticks;
		__atomic_store_n(&paused.is_on, 0, __ATOMIC_SEQ_CST);
		paused_publish();
	}
	process_unlock(&mask);
}

void pause_begin_region(void)
{
	struct lane_context *context = lane_own();

	if (context)
		context->paused_region_count++;
}

int pause_end_region(void)
{
	struct lane_context *context = lane_own();

	if (!context || !context->paused_region_count)
		return 0;
	context->paused_region_count--;
	return 1;
}

static struct pause_conditions watched;

/* The call, or the thread of the step, that resumed the recording: it decides where the
 * recording ends. The address of a thread's variable identifies the thread. */
static struct {
	uint64_t call_count;
	const void *thread;
	int64_t depth; /* open frames around it */
} starter;

void pause_watch(const struct pause_conditions *conditions)
{
	watched = *conditions;
	if (watched.from_call || watched.step)
		pause_begin();
}

/* Notes the function's object: in a pause no path is made, so nobody else does. Caches
 * functions that are not the "from" function. */
static int is_from(uint64_t function)
{
	static uint64_t others[256];
	uint64_t *other = &others[function * 0x9e3779b97f4a7c15ull >> 56];

	if (__atomic_load_n(other, __ATOMIC_RELAXED) == function)
		return 0;
	upcalls.note_module(function);
	if (trigger_actions(function) & TRIGGER_FROM)
		return 1;
	__atomic_store_n(other, function, __ATOMIC_RELAXED);
	return 0;
}

int pause_enter(uint64_t function, uintptr_t stack)
{
	const struct lane_context *context;

	if (!watched.from_call || !process_is_ready() || !is_from(function))
		return 0;
	if (__atomic_add_fetch(&starter.call_count, 1, __ATOMIC_RELAXED) <
	    watched.from_call)
		return 0;
	pause_end();
	context = context_settle(stack);
	starter.thread = &lane_self;
	starter.depth = context ? context->top - context->frames : -1;
	return !paused_is_on();
}

static void pause_exit(const struct lane_context *context, uint64_t function)
{
	if (watched.from_call && !watched.has_until && starter.thread == &lane_self &&
	    context->top - context->frames <= starter.depth &&
	    trigger_actions(function) & TRIGGER_FROM)
		pause_begin();
}

void pause_step(const char *name)
{
	uint32_t i = 0;

	if (likely(!watched.step))
		return;
	while (name && name[i] && name[i] == watched.step[i])
		i++;
	if (name && name[i] == watched.step[i]) {
		starter.thread = &lane_self;
		pause_end();
	} else if (starter.thread == &lane_self) {
		pause_begin();
	}
}

struct study_call ends_call_of(const struct lane_context *context,
			       const struct segment_frame *frame, uint64_t now)
{
	return (struct study_call){
		.function = frame->function,
		.node = segment_frame_is_inherited(frame) ? 0 : frame->node,
		.begin_ticks = frame->start_ticks + context->clock_offset,
		.ticks = now > frame->start_ticks ? now - frame->start_ticks : 0,
		.open = frame};
}

/* The time that a study takes is left out of all open calls. */
static void study(struct lane_context *context, const struct study_call *call)
{
	uint64_t since = clock_now();

	study_end(context, call);
	off_cpu_leave_out(context, since);
}

void cold ends_triggered(struct lane_context *context, const struct study_call *call)
{
	const struct trigger *trigger = trigger_find(call->function);

	if (trigger && trigger->actions & TRIGGER_STUDIES)
		study(context, call);
	if (trigger && trigger->exit_label)
		snapshot_take(trigger->exit_label, SEGMENT_SNAPSHOT_FUNCTION);
	pause_exit(context, call->function);
}
