/* SPDX-License-Identifier: MIT */
/*
 * A lane's call tree in the segment file: allocation sites, nodes and their keys, the
 * histograms of functions, open frames and the stacks that they are on. A part of
 * common/segment.h, which says who writes what and when, and what a reader may believe.
 * Must not include anything but <stdint.h>, nor change without a new SEGMENT_VERSION.
 */
#pragma once

#include <stdint.h>

/* An allocation site: one node of one lane. Index 0 is never used. A live block's word in
 * the shadow map holds the site's index, so any thread may free it. */
struct segment_site {
	uint32_t lock; /* spin lock, used while the process has several threads */
	uint32_t node; /* in lane_slot */
	uint32_t lane_slot;
	uint32_t interval; /* snapshots taken before its last change */
	uint64_t alloc_count, alloc_bytes;
	uint64_t free_count, free_bytes;
	uint64_t peak_bytes;	  /* highest live bytes of this site */
	uint64_t at_peak_bytes;	  /* live bytes at the global peak, see segment_process */
	uint64_t peak_generation; /* of at_peak_bytes */
	uint64_t temporary_count; /* freed with at most one other allocation of the
				     thread in between */
	uint64_t realloc_count;	  /* allocations that were a realloc of a live block */
	uint64_t realloc_copied_bytes; /* by those that moved the block, except by mremap
					*/
	uint64_t cross_thread_free_count;
	uint64_t largest_bytes;
	uint64_t at_peak_count;	    /* blocks, like at_peak_bytes */
	uint64_t realloc_old_bytes; /* sizes before the reallocs */
};

/*
 * A node of the call tree. Index 0 is never used, index 1 is the lane's root.
 *
 * key: bits 0-47 an address. Bit 63 clear: entry address of an instrumented function. Bit
 * 63 set: a return address found by unwinding, or the return address of a call of malloc;
 * a child of a function node lies inside that very function (it is the function's call
 * site), a child of another return address is the frame called from there. Bit 47 set,
 * which no address of a program has, and bit 63 clear: a region, bits 0-46 are the index
 * of its name. Bits 48-60: 0, or 1 + index of the address's module if that has been
 * unloaded since. Bits 63 and 62 set: a level, see below.
 *
 * The same path may occur twice (a signal handler may add a child while the
 * interrupted code adds the same one): readers merge siblings of equal key.
 */
#define SEGMENT_KEY_RETURN_ADDRESS (1ull << 63)
#define SEGMENT_KEY_REGION (1ull << 47)
#define SEGMENT_KEY_ADDRESS_MASK ((1ull << 48) - 1)
#define SEGMENT_KEY_MODULE_SHIFT 48
#define SEGMENT_KEY_MODULE_MASK 0x1fffull

/* With a region's bits: a call of libc, whose number (common/libc/calls.h) takes the
 * place of the name. */
#define SEGMENT_KEY_LIBC (SEGMENT_KEY_REGION | 1ull << 46)

/* Bits 63 and 47: where a function was called from, see shim/stacks/callers.h. Such a
 * child of a function's node has the call site of that function (of the outermost call,
 * if it called itself); its child of this kind has the call site of the caller, and so
 * on. Other children of such a node lie in the function. */
#define SEGMENT_KEY_CALL_SITE (SEGMENT_KEY_RETURN_ADDRESS | SEGMENT_KEY_REGION)

/*
 * LEVELS. A function that is only counted has no frame: what it calls becomes a child of
 * the innermost function that has one. When that child's node is made, and now and then
 * again, the shim walks the stack between the two. It stores the functions found there as
 * levels (bits 63 and 62): a chain of nodes without calls below the parent, outermost
 * first. A level's address is a return address in its function, or the function's first
 * address + 1. Below the last level is the arrival: a level whose address is the called
 * function's. Its call_count is the index of the called function's node. That node comes
 * after the arrival, has the same parent as the first level, and has SEGMENT_NODE_DETOUR
 * set. Its place in the tree is below the last level. A parent may have several children
 * of one key that were reached by different levels, and at most one of that key without
 * levels.
 *
 * A reader believes an arrival only if all of this holds, and that a node has levels only
 * if an arrival says so.
 */
#define SEGMENT_KEY_LEVEL (SEGMENT_KEY_RETURN_ADDRESS | 1ull << 62)

/* The most levels between two frames; levels further out are dropped. */
#define SEGMENT_LEVELS_MOST 16u

static inline int segment_key_is_level(uint64_t key)
{
	return (key & SEGMENT_KEY_LEVEL) == SEGMENT_KEY_LEVEL;
}

static inline int segment_key_is_call_site(uint64_t key)
{
	return (key & SEGMENT_KEY_CALL_SITE) == SEGMENT_KEY_CALL_SITE &&
	       !segment_key_is_level(key);
}

/* The address in a key; a region's key has none. */
static inline uint64_t segment_key_address(uint64_t key)
{
	return key & (SEGMENT_KEY_REGION - 1);
}

/* Also true for calls of libc: they have a name and no address, too. */
static inline int segment_key_is_region(uint64_t key)
{
	return (key & (SEGMENT_KEY_RETURN_ADDRESS | SEGMENT_KEY_REGION)) ==
	       SEGMENT_KEY_REGION;
}

static inline int segment_key_is_libc(uint64_t key)
{
	return segment_key_is_region(key) && (key & SEGMENT_KEY_LIBC) == SEGMENT_KEY_LIBC;
}

struct segment_node {
	uint64_t key;
	uint64_t call_count;  /* counted at entry; an arrival's: see LEVELS */
	uint64_t total_ticks; /* of finished calls, children included, uncorrected */
	uint64_t min_ticks, max_ticks; /* min: UINT64_MAX before the first exit */
	uint32_t parent;
	uint32_t function; /* index in the lane's functions; 0 for return addresses */
	uint32_t site;	   /* allocation site, 0: none */
	uint32_t hash_next;
	uint32_t unfinished; /* see the functions below */
	uint32_t wait;	     /* in the lane's waits, 0: none */
};

/* Parallel to the nodes: where the function's first call was made. The address behind
 * that call, with the number of an unloaded module as in a key; for an inlined copy, the
 * address behind its hook, which lies in the copy. 0: not known. */
struct segment_call_site {
	uint64_t key;
};

/* In segment_node.unfinished: its calls are inlined copies, see shim/events/levels.h. */
#define SEGMENT_NODE_INLINED (1u << 31)

/* Its calls came by way of levels, see above. */
#define SEGMENT_NODE_DETOUR (1u << 30)

/* It made calls that got no node; their time is in its own. */
#define SEGMENT_NODE_FOLDED (1u << 29)

#define SEGMENT_NODE_UNFINISHED_MOST (SEGMENT_NODE_FOLDED - 1)

static inline int segment_node_is_inlined(const struct segment_node *node)
{
	return (node->unfinished & SEGMENT_NODE_INLINED) != 0;
}

/* Activations closed without an exit: unwound. */
static inline uint64_t segment_node_unfinished_count(const struct segment_node *node)
{
	return node->unfinished & SEGMENT_NODE_UNFINISHED_MOST;
}

/* Durations of one function in one lane, log-linear: 8 buckets per power of two, so
 * a bucket's middle is at most 6.25 % from any value in it. Every finished call of the
 * function is counted, recursive ones too. A bucket that passes 2^32 wraps and adds 1
 * to overflow_count with its number in overflow_bucket (the last such bucket). */
#define SEGMENT_HISTOGRAM_BUCKETS 328

struct segment_function {
	uint64_t key; /* like segment_node.key */
	uint32_t overflow_bucket;
	uint32_t overflow_count;
	uint32_t histogram[SEGMENT_HISTOGRAM_BUCKETS];
};

/* bucket b < 8 holds exactly the value b; bucket 8 + 8*o + s holds
 * [(8+s) << o, (9+s) << o). Values too large go to the last bucket. */
static inline uint64_t segment_histogram_bucket(uint64_t ticks)
{
	/* the bucket's o; 0 for values below 8, where the same arithmetic holds */
	uint64_t octave = 60u - (uint64_t)__builtin_clzll(ticks | 8);
	uint64_t bucket = octave * 8 + (ticks >> octave);

	if (__builtin_expect(bucket >= SEGMENT_HISTOGRAM_BUCKETS, 0)) {
		bucket = SEGMENT_HISTOGRAM_BUCKETS - 1;
		__asm__ volatile(""); /* a branch, not a dependence */
	}
	return bucket;
}

static inline uint64_t segment_histogram_lower(uint32_t bucket)
{
	return bucket < 8 ? bucket : (uint64_t)(8 + (bucket & 7)) << ((bucket >> 3) - 1);
}

/* An open call. On the thread's own stack, frames [0, depth) are open. */
struct segment_frame {
	uint64_t function;
	uint64_t caller; /* 0: inherited by fork; else see the functions below */
	uint64_t start_ticks;
	uint64_t stack_pointer;
	uint32_t node;	      /* 0: folded, its time stays with the caller's node */
	uint32_t parent_node; /* current node before the call */
};

/* Set in a frame's caller: the function has triggers. No address has this bit. */
#define SEGMENT_FRAME_TRIGGERS (1ull << 62)

/* Was the call already open when the process was forked? Then its count and its time
 * before the fork belong to the parent. */
static inline int segment_frame_is_inherited(const struct segment_frame *frame)
{
	return frame->caller == 0;
}

/* The return address that the hook was given. For a region: that of the function it began
 * in, or the region's own key if it began in none. */
static inline uint64_t segment_frame_caller(const struct segment_frame *frame)
{
	return frame->caller & ~SEGMENT_FRAME_TRIGGERS;
}

/* The same as an address of code; 0 when there is none. */
static inline uint64_t segment_frame_return_address(const struct segment_frame *frame)
{
	uint64_t caller = segment_frame_caller(frame);

	return segment_key_is_region(caller) ? 0 : caller;
}

/*
 * A stack of execution other than the thread's own: a coroutine's. Its open frames are
 * the lane's frames [first_frame, first_frame + depth). Each stack has a clock that
 * stands still while another stack runs on the thread: its frames' start_ticks are the
 * run's clock less suspended_ticks so far. left_ticks: when the stack was left; 0 while
 * it runs. The thread's own stack has the same two numbers in the lane's header.
 */
struct segment_fiber {
	uint64_t stack_low;
	uint64_t suspended_ticks, left_ticks;
	uint32_t first_frame, frame_capacity;
	uint32_t depth;
	uint32_t in_use; /* 0: free, depth is 0 */
	uint64_t reserved[3];
};
