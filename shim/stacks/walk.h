/* SPDX-License-Identifier: MIT */
/*
 * Walks from a call of malloc outwards, frame by frame, by the rules of code.h; reuses
 * the last stack where nothing has changed. Runs on: traced threads, inside an allocation
 * hook (BUSY_BOOKS held). Must not lock, nor read anything but the stack in use.
 *
 * WHY REUSE IS EXACT. A frame's caller follows from three numbers (the code address, the
 * stack pointer and, for some code, the frame pointer) and from words of the stack at
 * places that follow from these. Once the walk meets a frame with the same three numbers
 * as one of the last stack, it would read the same places from there on. So we read all
 * of them and compare. We look at leftovers of ended frames only where a walk would look,
 * too.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/code/cfi.h"

/* The two words at the frame address of a function that keeps a frame pointer. */
struct stack_caller {
	uint64_t frame_pointer; /* its caller's */
	uint64_t return_address;
};

enum walk_end {
	WALK_FAILED,	/* the stack's bounds are not known */
	WALK_CUT,	/* the next frame cannot be found */
	WALK_OUTERMOST, /* no more frames */
	WALK_CALL_SITE, /* the next frame has the call site as return address */
	WALK_LIMIT,	/* there are more frames */
};

/* A stack: new inner frames, innermost first, and the context's known frames around
 * them. */
struct walk {
	enum walk_end end;
	int inner_count, known_count;
	const struct stack_frame *inner;
	uintptr_t end_at; /* the stack pointer beyond the outermost frame */
	int is_single;	  /* its words do not identify it */
	uint32_t node;	  /* of the innermost frame; 0: it is new */
	uint32_t base;	  /* the node that the frames are grafted on */
};

/* Walks from the caller outwards, up to but not including the frame with return address
 * call_site (0: none), at most `limit` frames. base: the node that they are grafted
 * on. */
struct walk walk_stack(struct lane_context *context, uint32_t base,
		       const struct stack_caller *caller, uint64_t call_site, int limit);

static inline uint64_t walk_word(uintptr_t address)
{
	return *(const uint64_t *)address;
}

static inline uintptr_t walk_cfa(const struct stack_frame *frame, struct cfi_rule rule)
{
	return (rule.is_from_frame_pointer ? frame->frame_pointer
					   : frame->stack_pointer) +
	       rule.cfa_words * 8ul;
}

/* Moves from a frame to its caller's by its rule. high: the end of the stack in use. 0:
 * the rule is not that simple; the frame is unchanged. */
static inline __attribute__((always_inline)) int
walk_step_by(struct stack_frame *frame, struct cfi_rule rule, uintptr_t high)
{
	uintptr_t cfa = walk_cfa(frame, rule);
	uintptr_t saved_at = rule.saved_words ? cfa - rule.saved_words * 8ul : 0;

	if (rule.kind != CFI_STEP || cfa <= frame->stack_pointer || cfa > high ||
	    cfa % 8 || (saved_at && saved_at < frame->stack_pointer))
		return 0;
	if (saved_at)
		frame->frame_pointer = walk_word(saved_at);
	frame->saved_at = saved_at;
	frame->stack_pointer = cfa;
	frame->return_address = walk_word(cfa - 8);
	return 1;
}

/* Moves from a frame to its caller's. high: the end of the stack in use. Returns the
 * rule's kind; if not CFI_STEP, the frame is unchanged. */
enum cfi_kind walk_step(struct stack_frame *frame, uintptr_t high);

/* Where a frame ends and its caller's begins; 0: its rule does not tell. Does not read
 * the stack. */
uintptr_t walk_end_of(const struct stack_frame *frame);

/* Does the walk from this remembered frame depend on its frame pointer? */
int walk_frame_pointer_matters(const struct stack_frame *frame);

/* Puts the new frames of a walk behind the context's known ones, still without nodes.
 * They are known once walk_keep() is told how many frames, from the outermost on, have
 * their nodes. */
void walk_remember(struct lane_context *context, const struct walk *walk,
		   uint64_t call_site);
void walk_keep(struct lane_context *context, int count);
