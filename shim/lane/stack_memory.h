/* SPDX-License-Identifier: MIT */
/*
 * What a lane remembers of walked stacks (shim/stacks/) and of levels (events/levels.h).
 * Runs on: as lane.h, of which this is a part.
 */
#pragma once

#include <stdint.h>

/* Longest stack that is walked; PROFSHIM_STACK_DEPTH may only lower it. */
#define LANE_STACK_LIMIT 256u

/* What a return address tells about its level, see stacks/kept.h. */
struct lane_place {
	uint64_t return_address; /* 0: none */
	uint64_t function; /* or the part of it that holds the address; 0: not known */
	uint64_t level;	   /* the level's address; 0: it cannot be a level */
	uint32_t modes_version, unload_count; /* of the process then */
	int has_copies;			      /* counted functions may be inlined here */
};

#define LANE_PLACES 128u

/* Levels in a lane: with their arrivals, 4 MiB of nodes. Only endless mutual recursion
 * makes so many. */
#define LANE_LEVELS_MOST 32768u

/* See events/levels.h and stacks/stack.c. */
struct lane_levels {
	uint32_t count; /* levels that were made */
	struct lane_place places[LANE_PLACES];
};

/* A frame between malloc and the hooks, with the registers as they are when control
 * returns to it, see walk.h. */
struct stack_frame {
	uint64_t return_address;
	uintptr_t stack_pointer;
	uint64_t frame_pointer;
	uintptr_t saved_at; /* where it was read; 0: unchanged since the inner frame */
	uint32_t flags;
	uint32_t node;
};

/* The stack that the next ones are compared with, and what its frames hold for. */
struct stack_memo {
	uint32_t count;
	uint32_t base;	       /* the node that its frames are grafted on */
	uint32_t unload_count; /* process->unload_count then */
	uint32_t modes_version;
	uint32_t end; /* enum walk_end */
	uint64_t call_site;
	uintptr_t end_at; /* the stack pointer beyond the outermost frame */
};

#define LANE_KEPT 1024u
#define LANE_KEPT_WORDS (1u << 15)
/* Stacks are kept after this many walks: in a short-lived child each would cost a
 * page. */
#define LANE_KEPT_LEAST 64u

struct lane_kept_word {
	uint64_t value;
	uint32_t offset; /* from the stack pointer, ascending */
};

/* A stack whose node is known, see stacks/kept.h. */
struct lane_kept {
	uint64_t return_address, call_site; /* of its innermost frame; its end */
	uintptr_t stack_pointer;
	uint64_t frame_pointer, frame_pointer_mask; /* 0: it does not matter */
	uint32_t base, node;			    /* node 0: there is none */
	uint32_t modes_version, unload_count;
	uint32_t next; /* the place of the stack that followed it */
	uint32_t count;
	uint32_t is_truncated; /* it has more frames than its node's path */
	uint64_t first_word;   /* see words_end */
};

/* The words of all stacks in one ring; those of one stack are contiguous. */
struct lane_kept_table {
	uint64_t words_end; /* written so far */
	struct lane_kept stacks[LANE_KEPT];
	struct lane_kept_word words[LANE_KEPT_WORDS];
};

/* The last stack that was not found, and the place it will get. */
struct lane_kept_missed {
	const void *caller;
	uint32_t place;
};

#define LANE_KNOWN_SITES 1024u

/* The site of allocations at a return address in a function of this node, when it was
 * called from this call site; see stack.h. */
struct stack_site {
	uint64_t return_address, call_site;
	uint32_t node, site; /* site 0: walk the stack, from the base */
	uint32_t base;
};

/* How many frames, from the innermost one outwards, are of headers' functions. */
struct callers_memo {
	uint32_t node; /* 0: nothing */
	uint32_t frame_count;
};

/* The innermost node for a chain of call sites, by a hash of these. */
struct callers_chain {
	uint64_t hash; /* 0: none */
	uint32_t node; /* of the function */
	uint32_t innermost;
	uint32_t unload_count; /* process->unload_count then */
};

#define LANE_CALLERS 64u
#define LANE_CHAINS 256u /* callers.c shifts by 56 */
