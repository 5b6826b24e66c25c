/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the recorder's state of one thread: shadow stack, call tree, what the
 *                allocation hooks need.
 * Runs on:       the thread that owns it, in any context: a signal handler may
 *                interrupt any hook at any instruction and call hooks itself.
 * Must not:      be touched by another thread while in use (the collector only reads
 *                the shared part).
 * See also:      common/segment.h for the shared part, shim/hot/tree.h, calls.c.
 *
 * A context is private memory that fork wipes: in a forked child frames, top and limit
 * are all NULL, so the fast paths' own limit checks lead to the slow path, which
 * notices. That is why no hook asks "has there been a fork?".
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "common/segment.h"

/* 4,096 entries miss less than 1 % of the time on Lua and SQLite and fit half of a
 * 32 KiB first-level cache. */
#define LANE_FRONT_COUNT 4096u

/* Longest stack that is unwound; PROFSHIM_STACK_DEPTH may only lower it. */
#define LANE_STACK_LIMIT 256u

struct lane_context {
	struct segment_frame *top;   /* next free frame */
	struct segment_frame *limit; /* end of the frames that have pages */
	struct segment_frame *frames;
	struct segment_node *nodes;
	struct segment_function *functions;
	struct segment_lane *lane;
	uint32_t current; /* node of the innermost open frame, or the root */

	/* slow path of the tree */
	uint32_t node_next, node_committed;
	uint32_t function_next, function_committed;
	uint32_t insert_depth; /* > 0: a handler interrupts an insertion */
	uint32_t bucket_mask, function_mask;
	uint32_t *buckets;	    /* by (parent, key): first node of a hash chain */
	uint32_t *function_table;   /* by key: open addressing */
	uint64_t last_search_ticks; /* when an exit looked for its frame, see calls.c */
	uint32_t slot;
	uint32_t thread; /* index of its segment_thread, UINT32_MAX: none */
	uint32_t destructor_rounds;

	/* allocations */
	uint32_t alloc_busy;  /* a hook is at work: a handler's events are dropped */
	uint32_t own_work;    /* what is allocated now is the tool's, not the program's */
	uint32_t unwind_hint; /* frames the last unwinding needed */
	uintptr_t last_blocks[2]; /* the thread's latest two allocations */
	uint32_t memo_count;	  /* the last unwound stack and its nodes */
	uint32_t memo_base;
	uint32_t memo_unload_count;	    /* process->unload_count then */
	void *memo_stack[LANE_STACK_LIMIT]; /* outermost first */
	uint32_t memo_nodes[LANE_STACK_LIMIT];

	struct lane_context *next_free, *next_lane;
	uint32_t front[LANE_FRONT_COUNT];
};

/* The root of every lane's tree. */
#define LANE_ROOT 1u

extern __thread struct lane_context *lane_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The context of threads that have ended and of processes where nothing is recorded:
 * top == limit == frames, so every hook takes its slow path and returns. */
extern hidden struct lane_context lane_none;

/* The calling thread's context, made when it has none yet, or &lane_none. Any context. */
struct lane_context *lane_acquire(void);

/* The calling thread ends: closes its open frames, gives the lane to the next thread. */
void lane_release(void);

/* Closes open frames above new_top (exclusive) as unwound, at time now. */
void lane_unwind(struct lane_context *context, struct segment_frame *new_top,
		 uint64_t now);

/* Reserves more frames. 0, or -errno. */
int lane_grow_frames(struct lane_context *context);

/* Brackets around work of our own in the program's thread, so that its allocations are
 * not taken for the program's. Not nested; not inside a hook. */
static inline void lane_begin_own_work(struct lane_context *context)
{
	context->alloc_busy = 1;
	context->own_work = 1;
}

static inline void lane_end_own_work(struct lane_context *context)
{
	context->own_work = 0;
	context->alloc_busy = 0;
}

/* True when the context can be used as it is: neither absent nor wiped nor none. */
static inline int lane_is_live(const struct lane_context *context)
{
	return context && context->frames;
}

/* Called once for each thread that gets a lane; registers the thread's destructor.
 * Upward symbol: shim/boot/threads.c. */
void boot_thread_begins(void);
