/* SPDX-License-Identifier: MIT */
/*
 * From a call of malloc outwards, frame by frame, by the rules of rules.h; and the last
 * stack again where nothing has changed. Runs on: traced threads, inside an allocation
 * hook (BUSY_BOOKS held). Must not lock, or read anything but the stack in use.
 *
 * WHY WHAT IS REUSED IS EXACT. Where a frame's caller is found depends on three numbers,
 * the code address, the stack pointer and, for some code, the frame pointer, and on words
 * of the stack at places that follow from them. Once the walk comes to a frame with the
 * same three numbers as one of the last stack, the walk from there on would read the same
 * places as the last time. These are read, all of them, and compared. What a frame that
 * is gone has left behind is never looked at but where a walk would look, too.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/code/cfi.h"

/* What a function that keeps a frame pointer has at its frame address. */
struct stack_caller {
	uint64_t frame_pointer; /* its caller's */
	uint64_t return_address;
};

enum walk_end {
	WALK_FAILED,	/* it is not known where the stack lies */
	WALK_CUT,	/* how it goes on is not known */
	WALK_OUTERMOST, /* no more frames */
	WALK_CALL_SITE, /* the next one returns to the call site */
	WALK_LIMIT,	/* there are more */
};

/* A stack: inner frames, innermost first, and the context's known ones around them. */
struct walk {
	enum walk_end end;
	int inner_count, known_count;
	const struct stack_frame *inner;
	uintptr_t end_at; /* the stack pointer outside of the outermost */
	int is_single; /* its words of the stack do not tell that it is the same again */
	uint32_t node; /* of the innermost; 0: the inner ones are new */
	uint32_t base; /* that they are grafted on */
};

/* Frames from the caller outwards, as far as the one inside of call_site (0: none), at
 * most `limit`. base: the node that they are grafted on. */
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

/* Goes from a frame to its caller's by its rule. high: where the stack in use ends. 0:
 * there is no simple way, and it went nowhere. */
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

/* Goes from one frame to its caller's. high: where the stack in use ends. Returns what
 * the frame's rule is; other than CFI_STEP: it went nowhere. */
enum cfi_kind walk_step(struct stack_frame *frame, uintptr_t high);

/* Where a frame ends, and its caller's begins, which is a part of its stack; 0: its rule
 * does not tell. Reads nothing of the stack. */
uintptr_t walk_end_of(const struct stack_frame *frame);

/* Of a frame that has been remembered: does the way from it on depend on its frame
 * pointer? */
int walk_frame_pointer_matters(const struct stack_frame *frame);

/* The new frames of a walk lie behind the context's known ones from then on, without
 * their nodes yet. They are known when walk_keep() is told how many of all have theirs,
 * which must be the outermost ones. */
void walk_remember(struct lane_context *context, const struct walk *walk,
		   uint64_t call_site);
void walk_keep(struct lane_context *context, int count);
