/* SPDX-License-Identifier: MIT */
/*
 * The recorder's state of one thread: shadow stack, call tree, what the allocation hooks
 * need. Runs on: the thread that owns it, in any context: a signal handler may interrupt
 * any hook at any instruction and call hooks itself. Must not be touched by another
 * thread while in use (the collector only reads the shared part).
 *
 * A context is private memory that fork wipes: in a forked child frames, top and limit
 * are all NULL and no address lies on its stack, so the fast paths' own checks lead to
 * the slow path, which notices. That is why no hook asks "has there been a fork?".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/attributes.h"
#include "common/history.h"
#include "common/libc/calls.h"
#include "common/segment.h"
#include "common/segment_series.h"
#include "shim/lane/stack_memory.h"

/* 4,096 entries, two to a set, miss 0.01 to 0.2 % of the calls of Lua, SQLite and gawk
 * (one to a set: 0.2 to 2.7 %) and fill half of a 32 KiB first-level cache. tcc, with
 * 800,000 paths, misses 26 % of its calls; 16 times as many entries do not help it, since
 * its nodes have left the caches, too. */
#define LANE_FRONT_COUNT 4096u

/* Buckets of the tree's first hash table: one per node. */
#define LANE_FIRST_BUCKETS 1024u

/* Notes of handlers that interrupt an allocation hook, see memory/site.h. */
#define LANE_DEFERRED 512u

/* Classes of chunk sizes, see frames.c: the largest has 2^20 frames. */
#define LANE_CHUNK_CLASSES 16u

/* The suspended_ticks and left_ticks of a segment_fiber or segment_lane. */
struct fiber_clock {
	uint64_t suspended_ticks, left_ticks;
};

enum fiber_kind {
	FIBER_FIXED,  /* the bounds of its stack are known */
	FIBER_BLOCK,  /* its stack is a heap block, as long as that lives */
	FIBER_WINDOW, /* the bounds cover the addresses seen, and may grow */
};

/* One of the stacks that a lane's thread runs on, see fiber.h. While another stack is in
 * use, top and current are as this one was left. */
struct fiber {
	uintptr_t low, high; /* the stack */
	uintptr_t anchor;    /* the thread's own: the first address seen */
	struct segment_frame *frames, *top, *limit;
	uint32_t current;
	uint32_t chunk_class;
	uint32_t *depth;
	struct fiber_clock *clock;
	struct segment_fiber *shared; /* NULL: the thread's own */
	struct lane_context *owner;
	struct fiber *next_free;
	enum fiber_kind kind;
	int is_abandoned; /* its stack has been reused */
	/* What threads waited on it. While it is in use: what to subtract from its
	 * thread's sums to get that. See spans.h. */
	uint64_t ready_ns, blocked_ns;
};

/* Where a setjmp or getcontext was, so that a jump to it can restore the depth. */
struct jump_mark {
	uintptr_t stack_pointer;
	uint64_t return_address;
	uint64_t frame_ticks; /* start of the innermost open frame; identifies it */
	const struct fiber *fiber;
	uint32_t depth;
	uint32_t counted_depth; /* *context->depth: a handler's jump may leave a hook
				   between its stores */
	uint32_t current;
};

#define LANE_JUMP_MARKS 128u

/* Remembers a region's names by their addresses, see region.c. */
struct region_memo {
	const char *component, *name;
	uint32_t index; /* of the name, 0: none */
};

#define LANE_REGION_MEMOS 64u

struct study_lane;

#define LANE_SUSPICIONS 16u
#define LANE_STEP_KEY (1ull << 62) /* no function's */

/* A function that had slow calls, see study/choose.c. Ticks are sums over these calls,
 * without the time they were ready to run. */
struct lane_suspicion {
	uint64_t key; /* for a step: LANE_STEP_KEY | its series; 0: none */
	uint64_t begin_ticks, begin_calls; /* at the first slow call, busy time */
	uint64_t slow_ticks, blocked_ticks;
	uint32_t slow_count;
	uint32_t index; /* of the function, or the series, in the lane */
};

/* See shim/study/. */
struct lane_study {
	struct study_lane *own; /* NULL: nothing is studied */
	uint32_t trigger_count; /* of the functions that the front table knows of */
	uint32_t function_at;	/* the next one that is looked at */
	uint64_t begin_ticks, next_look_ticks;
	uint64_t begin_busy_ticks, next_busy_ticks;
	uint64_t begin_ready_ns;
	uint32_t span_at; /* the next kept span to look at */
};

/* Remembers a step's or counter's name by its address, see series.c. */
struct series_memo {
	const char *name;
	uint32_t number; /* 1 + index of the series, 0: none */
};

#define LANE_SERIES_MEMOS 64u

#define LANE_TRANSFER_BUCKETS 1024u

/* See events/events.h. */
struct lane_pulse {
	uint32_t length; /* calls from pulse to pulse */
	uint64_t ticks;	 /* the last one, of the run's clock */
};

#define LANE_WAYS 4096u

/* See ways.h. */
struct lane_way {
	uint64_t call_site;
	uint32_t child; /* node; 0: none */
	uint32_t left;	/* calls it still holds for */
};

#define LANE_EARLY 256u

/* See events/early.h. */
struct lane_early {
	uint64_t function; /* 0: none */
	uint64_t return_address, call_site;
	uint32_t number;
	uint32_t version; /* modes_early_version then */
};

/* A function that calls itself, see budget.c. */
struct lane_watched {
	uint64_t function;		 /* 0: none */
	uint64_t busy_ticks, call_count; /* at the last look at it */
};

#define LANE_WATCHED 16u

/* See shim/budget/counting.h. Ticks are the run's clock, except busy ones. */
struct lane_budget {
	uint64_t interval_ticks; /* from look to look */
	uint64_t next_look_ticks;
	uint64_t next_busy_ticks; /* the same, of busy time */
	uint64_t stretch_end;	  /* 0: none has begun */
	uint32_t stretch_calls, picked_call, judged_count;
	uint32_t call_count; /* in all stretches since the last decision */
	uint64_t ticks;	     /* of these */
	double share;	     /* the hooks', at the last look; is_over: too large */
	int is_over;
	uint32_t step;	     /* how drastic the budget's measures are */
	uint32_t kept_count; /* functions in a row that it could not take at this step */
	uint32_t barren_count; /* stretches since one was taken */
	/* a pair's cost relative to the calibrated one, and since when */
	double price;
	double pair_calls, pair_ticks;
	uint64_t sample_count, hook_sample_count;
	struct lane_watched watched[LANE_WATCHED]; /* by a hash of the function */
};

/* See waits/off_cpu.h. */
struct lane_off_cpu {
	/* booked up to here. base_off_ns alone says what was booked, in one store: code
	 * that is abandoned between two stores books nothing twice and loses nothing */
	uint64_t base_off_ns, base_cpu_ns, base_ready_ns;
	uint64_t begin_cpu_ns, begin_ready_ns;
	uint64_t unread_ns;			 /* slept since base_ready_ns was read */
	uint64_t blocked_count, preempted_count; /* switches until then */
	uint64_t put_off_until_ticks;		 /* 0: every switch is looked at */
	uint64_t booking_ticks;			 /* what booking took, uninterrupted */
	uint64_t ready_ns, blocked_ns;		 /* all that was booked on paths */
};

#define LANE_RECENT_WAITS 32u

/* The thread's latest waits, for the step that they fell in. Consecutive waits on one
 * path without a mark in between are one entry. */
struct lane_recent_waits {
	struct {
		uint64_t mark; /* marks before it */
		uint64_t ready_ns, blocked_ns;
		uint32_t node;
	} all[LANE_RECENT_WAITS]; /* [number % LANE_RECENT_WAITS] */
	uint64_t count;
	uint64_t mark_count; /* of steps */
};

#define LANE_SAMPLE_HEADS 4096u

/* Records, see shim/samples/ring.h. bytes: a power of two. */
struct ring_data {
	void *start;
	uint32_t bytes;
};

/* Of stands_for: samples tell of the ring's own time only. */
#define SAMPLES_FOR_ITSELF 256u

/* See shim/samples/samples.h. */
struct lane_samples {
	void *ring;	       /* the kernel's page, and the data behind it; NULL: none */
	struct ring_data data; /* of the ring, or written by the timer's handler */
	uint32_t is_wide;      /* atomic: the ring has room for stacks */
	uint32_t is_narrow;    /* there was no room for stacks */
	uint32_t has_no_kernel;	 /* the thread may not sample it */
	uint32_t most_taken;	 /* records at a time, of this ring */
	uint32_t refused_count;	 /* in a row */
	uint32_t look_count;	 /* checks whether to make it anew */
	uint64_t mean_period_ns; /* of rings like this */
	uint64_t interval_ticks; /* of busy time, from the last look to the next */
	uint64_t period_ns;	 /* of the ring */
	uint64_t stands_for;	/* time of which its samples tell, to its own: in 1/256 */
	uint64_t clock_ns;	/* of the ring's last sample */
	uint64_t opened_cpu_ns; /* the thread's CPU time when the ring was made */
	uint64_t unwritten_count; /* lost, not yet reported in the ring */
	uint64_t next_busy_ticks; /* busy time to (re)make it; 0: unset */
	uint64_t switch_count;	  /* of the thread, when it was made */
	uint64_t hook_count;	  /* samples in our own code, without the stubs */
	uint32_t random;
	uint32_t timer;		     /* atomic; 1 + the number of the timer; 0: none */
	uint64_t timer_head;	     /* bytes that its handler has written */
	uint64_t timer_lost_periods; /* lost for want of room, atomic */
};

#define LANE_TIMER_WORDS 4096u /* see shim/samples/timer.h */

#define LANE_SPAN_MARKS 64u

/* Covers the open calls that began after the previous mark and up to this time of their
 * stack. Holds the stack's clock and waits when these calls were first looked at. */
struct lane_span_mark {
	const struct fiber *fiber;
	uint64_t ticks, offset_ticks;
	uint64_t ready_ns, blocked_ns;
};

/* See spans.h. */
struct lane_spans {
	uint64_t floor_ticks;	 /* the threshold's minimum; SPANS_NEVER: none is kept */
	uint64_t interval_ticks; /* when this one began */
	uint32_t interval_count;
	uint32_t mark_count;
	struct lane_span_mark marks[LANE_SPAN_MARKS]; /* of a stack: by time */
	uint32_t histogram[SEGMENT_HISTOGRAM_BUCKETS];
};

#define LANE_LOCK_HEADS 1024u
#define LANE_LOCKS_HELD 8u

/* A lock that the thread waited for and now holds. */
struct lane_hold {
	uint32_t lock; /* in the lane's locks, 0: none */
	uint64_t since_ticks;
};

/* See waits/locks.h. */
struct lane_locks {
	uint32_t is_known;	  /* the lists are built from the segment */
	uint32_t held_count;	  /* used entries of `held` */
	struct segment_lock *all; /* NULL: none yet */
	struct lane_hold held[LANE_LOCKS_HELD];
};

struct deferred;

/* The parts of a lane that only one hook at a time may work on, see busy.h. */
enum lane_part {
	BUSY_BOOKS, /* of allocations; handlers defer theirs meanwhile */
	BUSY_TREE,
	BUSY_OFF_CPU,
	BUSY_STALLS,
	BUSY_TRANSFERS,
	BUSY_SPANS,
	BUSY_SERIES,
	BUSY_STUDY,
	BUSY_SAMPLES,
	BUSY_CHANGES, /* how functions are recorded, process-wide */
	LANE_PARTS,
};

struct lane_context {
	/* the first two cache lines: what every call needs, for the stack in use */
	struct segment_frame *top;   /* next free frame */
	struct segment_frame *limit; /* end of the frames that have pages */
	uintptr_t stack_low;	     /* bounds of the stack in use: addresses */
	uintptr_t stack_size;	     /* outside take the slow path */
	uint64_t clock_offset;	     /* ticks that the stack was suspended */
	uint32_t *depth;	     /* number of open frames, for the reader */
	struct segment_node *nodes;
	uint32_t current; /* node of the innermost open frame, or the root */
	int32_t pulse;	  /* calls without a frame until counted_pulse() */
	struct segment_function *functions;
	uint64_t check_ticks; /* when an exit next looks at the budget */
	/* calls without a frame, by number (shim/patch/stubs.h); NULL in a pause */
	uint64_t *counts;
	/* the thread was switched out when they differ (waits/switches.h) */
	const uint64_t *switch_word;
	uint64_t switch_mark;
	uint64_t span_ticks; /* calls at least this long are kept (spans.h) */

	/* the third begins with whether there are samples (shim/samples) */
	const volatile uint64_t *sample_head;
	uint64_t sample_tail;

	/* what calls of libc and allocations need besides */
	struct segment_call_site *call_sites; /* by node */
	struct segment_lane *lane;
	uint32_t own_work;    /* allocations now are the tool's, not the program's */
	uint32_t is_vforking; /* a vfork child runs in this memory */
	struct segment_transfer *transfers;
	uint32_t transfer_linked; /* entries linked in the buckets */
	uint32_t deferred_count;
	uint32_t has_nap;	    /* the last sleep may have been for another thread */
	uint32_t locked_site;	    /* the last one locked, or about to be; see site.h */
	uint32_t has_site;	    /* this thread certainly holds it */
	uintptr_t last_blocks[2];   /* the thread's latest two allocations */
	uintptr_t busy[LANE_PARTS]; /* stack address of the hook at work; 0: none */

	struct segment_frame *frames; /* the first; the one before it matches no exit */

	/* stacks */
	struct fiber *fiber; /* in use */
	struct fiber native; /* the thread's own */
	struct fiber *fibers, *free_fibers;
	uint32_t *fiber_order; /* indices of fibers by address */
	uint32_t fiber_count;
	uint32_t chunk_floor, chunk_committed;
	uint32_t free_chunks[LANE_CHUNK_CLASSES];
	uint32_t has_guests; /* coroutines' stacks may lie in the thread's own frames */
	uint32_t vfork_depth;

	/* slow path of the tree */
	uint32_t node_next, function_next;
	uint32_t bucket_mask, function_mask;
	uint64_t wide_parents[4];   /* a bit for several; see tree.c */
	uint32_t *buckets;	    /* by (parent, key): first node of a hash chain */
	uint32_t *function_table;   /* by key: open addressing */
	uint64_t last_search_ticks; /* when an exit looked for its frame, see calls.c */
	uint32_t slot;
	uint32_t thread; /* index of its segment_thread, UINT32_MAX: none */
	uint32_t destructor_rounds;
	int32_t tid; /* of the thread that has it, 0: not known */

	/* allocations */
	struct deferred *deferred;
	uint32_t deferred_done; /* how many of deferred_count are booked */
	struct stack_memo memo;
	struct lane_kept_table *kept; /* NULL: none yet */
	uint32_t kept_serial;	      /* of the last stack that was kept */
	struct lane_kept_missed kept_missed;
	uint32_t kept_latest; /* the place of the last stack found */

	uint32_t answers_seen; /* see shim/budget/counting.h */
	struct lane_off_cpu off_cpu;
	uint32_t nap_number; /* its index in the stalls; 0: not kept */
	struct segment_stall nap;
	const void *switch_page;      /* behind switch_word, when it is ours */
	uint64_t paused_ticks;	      /* in its clocks, see busy.h */
	uint32_t paused_region_count; /* begun in this pause */
	struct lane_context *next_free, *next_lane;

	struct lane_samples samples;
	struct lane_locks locks;
	struct lane_pulse pulses;
	struct lane_budget budget;
	struct lane_study study;
	struct lane_spans spans;
	/* up to here on one page, except for the spans' marks. Of the rest most forked
	 * children touch only the next two tables; see tree_resume() */
	uint32_t front[LANE_FRONT_COUNT];
	uint32_t first_buckets[LANE_FIRST_BUCKETS]; /* until there are more nodes */
	struct lane_recent_waits recent_waits;

	uint32_t lock_heads[LANE_LOCK_HEADS]; /* by address: first of a list of locks */
	uint32_t lock_wait_heads[LANE_LOCK_HEADS];
	uint32_t sample_heads[LANE_SAMPLE_HEADS]; /* by a hash: of a chain */
	struct lane_levels levels;
	struct lane_way ways[LANE_WAYS];
	struct lane_early early[LANE_EARLY];
	struct lane_suspicion suspicions[LANE_SUSPICIONS]; /* of the studies */
	struct jump_mark jump_marks[LANE_JUMP_MARKS];
	struct stack_frame known[LANE_STACK_LIMIT]; /* of the memo, outermost first */
	struct callers_memo callers[LANE_CALLERS];  /* by node */
	struct stack_site known_sites[LANE_KNOWN_SITES];
	struct callers_chain chains[LANE_CHAINS];    /* by hash */
	struct stack_frame walked[LANE_STACK_LIMIT]; /* new ones, innermost first */
	/* by node and target: first transfer of a hash chain */
	uint32_t transfer_buckets[LANE_TRANSFER_BUCKETS];
	struct series_memo series_memos[LANE_SERIES_MEMOS];
	uint32_t series_hashes[SEGMENT_SERIES_LIMIT];
	uint8_t series_studies[SEGMENT_SERIES_LIMIT]; /* enum segment_study_reason, or 0
						       */
	struct region_memo region_memos[LANE_REGION_MEMOS];
	struct history_memory snapshot_memory; /* of whoever takes a snapshot */
	uint64_t timer_data[LANE_TIMER_WORDS];
};

/* The root of every lane's tree. */
#define LANE_ROOT 1u

/* A region's frame lies among those of functions, with its key in place of the function.
 * A region that ended below an open function keeps its frame, with this key, until that
 * function has ended. */
#define LANE_ENDED_REGION SEGMENT_KEY_REGION

/* NULL only while the loader relocates the program, before thread variables get their
 * initial values: resolvers of indirect functions may have hooks and allocate. */
extern __thread struct lane_context *lane_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* lane_absent: the thread has no lane yet. lane_none: the thread has ended, or the
 * process is not recorded. They have no frames and no address lies on their stack, so
 * every hook takes its slow path, which makes a lane or returns. Nobody writes to
 * them. */
extern hidden struct lane_context lane_absent, lane_none;

/* True for threads that may still get a lane. */
static inline int lane_is_absent(const struct lane_context *context)
{
	return !context || context == &lane_absent;
}

/* The slot of the lane that an ended thread had; 0: none. */
extern __thread uint32_t lane_left_slot
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Leaves the ticks from `since` to `now` out of all calls open on the stack in use, as if
 * the stack had been suspended: the recorder worked for itself. Returns how many. A time
 * of the run's clock read before is that much earlier on the stack's clock. */
uint64_t lane_leave_out(struct lane_context *context, uint64_t since, uint64_t now);

/* Now, less the time that the lane's thread is known to have been without a CPU. Budgets
 * are shares of this time: a server that mostly waits computes little, and so may the
 * recorder. When waits are not recorded it is the run's clock. */
uint64_t lane_busy_ticks(const struct lane_context *context, uint64_t now);

/* True when the context can be used as it is: not lane_absent, lane_none or wiped. */
static inline int lane_is_live(const struct lane_context *context)
{
	return context && context->frames;
}

/* The calling thread's context if it can be used, or NULL. Makes none (events/context.h
 * does). */
static inline struct lane_context *lane_own(void)
{
	struct lane_context *context = lane_self;

	return lane_is_live(context) ? context : NULL;
}

/* Bracket our own work in the program's thread, so that its allocations are not taken for
 * the program's. NULL: the thread has no lane, or is in a hook that holds the books; pass
 * it to lane_end_own_work() all the same. Do not nest. */
static inline __attribute__((always_inline)) struct lane_context *
lane_begin_own_work(void)
{
	struct lane_context *context = lane_own();

	if (!context || context->busy[BUSY_BOOKS])
		return NULL;
	context->busy[BUSY_BOOKS] = (uintptr_t)__builtin_frame_address(0);
	context->own_work = 1;
	return context;
}

static inline void lane_end_own_work(struct lane_context *context)
{
	if (!context)
		return;
	context->own_work = 0;
	context->busy[BUSY_BOOKS] = 0;
}

/* From a function's histogram in a lane: the number of timed calls, and the bucket in
 * which half of `calls` are reached. */
uint64_t lane_timed_calls(const struct segment_function *function);
uint32_t lane_median_bucket(const struct segment_function *function, uint64_t calls);
