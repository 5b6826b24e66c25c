/* SPDX-License-Identifier: MIT */
/*
 * What a forked child needs from the thread that forked: the functions it is inside of.
 * Runs on: the thread that calls fork(), in parent and child. Must not be needed for
 * correctness: a raw clone() adopts on its first hook (adopt_process) and merely starts
 * with an empty stack.
 *
 * The child's lane is wiped by fork. Before the fork its frames are copied to memory
 * that is not; the child pushes them again as inherited: their nodes carry the path but
 * no call, and their time counts from the fork.
 */
#include "shim/wrap/begin.h"

#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/frames.h"
#include "shim/lane/lane.h"
#include "shim/lane/tree.h"
#include "shim/events/context.h"
#include "shim/waits/off_cpu.h"
#include "shim/wrap/real.h"

#define INHERITED_LIMIT 4096

static struct {
	uint64_t function;
	uintptr_t stack_pointer;
} inherited[INHERITED_LIMIT];
static uint32_t inherited_count written_in_children;

/* Held from before the fork until after it. A handler may interrupt fork() and fork. */
static pthread_mutex_t fork_lock written_in_children = PTHREAD_MUTEX_INITIALIZER;
/* the thread's lane_self: no system call tells who */
static const void *fork_owner written_in_children;
static unsigned int nested_forks written_in_children;
static uint64_t fork_ticks written_in_children; /* when the thread called it */

/* The next fork is mostly from the same place. What is not written need not be copied,
 * which costs a fault after every fork. */
static void note_inherited(uint32_t index, const struct segment_frame *frame)
{
	if (inherited[index].function == frame->function &&
	    inherited[index].stack_pointer == frame->stack_pointer)
		return;
	inherited[index].function = frame->function;
	inherited[index].stack_pointer = frame->stack_pointer;
}

static void before_fork(void)
{
	struct lane_context *context = lane_own();
	uint32_t count = 0;
	const void *self = &lane_self;

	if (__atomic_load_n(&fork_owner, __ATOMIC_RELAXED) == self) {
		nested_forks++; /* its child inherits what the outer one's does */
		return;
	}
	real_pthread_mutex_lock(&fork_lock);
	__atomic_store_n(&fork_owner, self, __ATOMIC_RELAXED);
	if (process_is_ready() && context) {
		for (struct segment_frame *frame = context->frames;
		     frame < context->top && count < INHERITED_LIMIT; frame++) {
			if (frame->function == LANE_ENDED_REGION)
				continue;
			note_inherited(count++, frame);
		}
	}
	inherited_count = count;
	fork_ticks = clock_now();
}

static void in_parent(void)
{
	if (nested_forks) {
		nested_forks--;
		return;
	}
	__atomic_store_n(&fork_owner, NULL, __ATOMIC_RELAXED);
	real_pthread_mutex_unlock(&fork_lock);
}

static void push_inherited(struct lane_context *context)
{
	uint64_t now = paused_clock();

	for (uint32_t i = 0; i < inherited_count; i++) {
		struct segment_frame *frame = context->top;
		uint32_t child;

		if (frame == context->limit && frames_grow(context) < 0)
			return;
		child = tree_child(context, context->current, inherited[i].function);
		frame->function = inherited[i].function;
		frame->caller = 0; /* it is inherited */
		frame->start_ticks = now - context->clock_offset;
		frame->stack_pointer = inherited[i].stack_pointer;
		frame->parent_node = context->current;
		frame->node = child;
		context->top = frame + 1;
		++*context->depth;
		if (child)
			context->current = child;
		process_count(SEGMENT_COUNTER_INHERITED_FRAMES, 1);
	}
}

static void in_child(void)
{
	struct lane_context *context;

	fork_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	fork_owner = NULL;
	nested_forks = 0;
	if (!process)
		return;
	process_will_write(process);
	if (!lane_is_absent(lane_self) && lane_self != &lane_none)
		process_will_write(lane_self);
	if (!process->ready) {
		off_cpu_note_birth(fork_ticks);
		context = context_acquire();
		off_cpu_note_birth(0);
		if (context)
			push_inherited(context);
	}
	inherited_count = 0;
}

void fork_watch(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}

/*
 * Notices the end of threads. Runs on: threads_begin: the constructor; the rest: any
 * thread, on its first event and in its last moments. Must not release a lane while
 * destructors of the program may still come.
 *
 * A key's destructor runs when its thread ends, with the other keys' in no order, in at
 * most four rounds as long as some key is set again. Ours sets itself again until the
 * last round, so the program's own destructors are recorded before the lane goes.
 */

static pthread_key_t key;
static int key_exists;
/* the thread has a value, whose destructor runs at its end */
static __thread int is_watched __attribute__((tls_model("initial-exec")));

static void thread_ends(void *value)
{
	struct lane_context *context = lane_own();

	is_watched = 0;
	if (!context)
		return;
	if (++context->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
		is_watched = pthread_setspecific(key, value) == 0;
	else
		context_release();
}

/* The first 32 keys have their place in the thread itself: nothing allocates. A forked
 * child has its parent's. */
static void thread_begins(void)
{
	if (key_exists && !is_watched)
		is_watched = pthread_setspecific(key, &key) == 0;
}

void threads_begin(void)
{
	key_exists = pthread_key_create(&key, thread_ends) == 0;
	upcalls.thread_begins = thread_begins;
}
