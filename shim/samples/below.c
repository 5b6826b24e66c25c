/* SPDX-License-Identifier: MIT */
/* One step after the other, on a copied stack. */
#include "shim/samples/below.h"

#include "shim/code/code.h"
#include "shim/code/rules.h"
#include "shim/lane/busy.h"

/* Of the stack in use, that must be left: reading the tables takes some. */
#define STACK_LEAST 4096u

static int has_room(const struct lane_context *context)
{
	return (uintptr_t)__builtin_frame_address(0) - paused_stack_low(context) >=
	       STACK_LEAST;
}

/* The stack pointer of the innermost frame's function, when it called its hook: what it
 * calls has its frames below that. A call of libc has its wrapper's canonical frame
 * address, and the wrapper's own frame ends there: its caller is above. */
static uint64_t end_of_frames(const struct lane_context *context)
{
	const struct segment_frame *frame = context->top - 1;

	if (context->top <= context->frames)
		return UINT64_MAX;
	return frame->stack_pointer - (uint64_t)segment_key_is_libc(frame->function);
}

/* In the procedure linkage table, whose rules are not so simple: the function that leads
 * there has just been called, and the stack is as it was. Not of code of no object. */
static struct cfi_rule rule_of_linkage(const struct ring_data *data,
				       const struct ring_record *record)
{
	struct code code;
	uint64_t caller;

	if (!ring_word(data, record, record->stack_pointer, &caller) ||
	    rules_of(caller).kind != CFI_STEP || code_find(record->address, &code) < 0)
		return (struct cfi_rule){.kind = CFI_ODD};
	return (struct cfi_rule){.kind = CFI_STEP, .cfa_words = 1};
}

void below_find(const struct lane_context *context, const struct ring_data *data,
		const struct ring_record *record, struct below *ret)
{
	uint64_t end = end_of_frames(context), at = record->stack_pointer, cfa, saved;
	uint64_t frame_pointer = record->frame_pointer;
	/* a rule is that of the instruction before this address */
	uint64_t code = record->address + 1;

	ret->count = 0;
	ret->is_whole = 0;
	if (!record->stack_bytes || at > end || !has_room(context))
		return;
	for (;;) {
		struct cfi_rule rule = rules_of(code);

		if (rule.kind != CFI_STEP && ret->count == 0)
			rule = rule_of_linkage(data, record);
		if (rule.kind != CFI_STEP)
			break;
		cfa = (rule.is_from_frame_pointer ? frame_pointer : at) +
		      rule.cfa_words * 8ul;
		if (cfa > end || ret->count == BELOW_MOST) {
			ret->is_whole = cfa > end;
			break;
		}
		/* at the end of a function it is restored: compilers leave its rule as it
		 * was, while the word that it names is below the stack by then */
		saved = cfa - rule.saved_words * 8ul;
		if (cfa <= at || !ring_word(data, record, cfa - 8, &code) ||
		    (rule.saved_words && saved >= at &&
		     !ring_word(data, record, saved, &frame_pointer)))
			break;
		ret->addresses[ret->count++] = code;
		at = cfa;
	}
}
