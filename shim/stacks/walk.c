/* SPDX-License-Identifier: MIT */
/* Stepping from frame to frame, and comparing with the last stack. */
#include "shim/stacks/walk.h"

#include <stddef.h>
#include <ucontext.h>

#include "shim/code/code.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/patch/modes.h"

/* Flags of frames. */
enum {
	FRAME_FROM_POINTER = 1,	 /* its CFA depends on its frame pointer */
	FRAME_SAVES_POINTER = 2, /* the next frame's pointer is stored in it */
	FRAME_MATTERS = 4, /* the way from here on depends on the frame pointer here */
};

/* What one walk needs to know. */
struct walker {
	struct lane_context *context;
	const struct stack_frame *known;
	uint32_t base;
	uint64_t call_site;
	uintptr_t high; /* end of the stack in use */
	int limit;
	int candidate; /* the innermost known frame that may come next, or -1 */
	int count;     /* new frames */
	int is_single;
};

static void store(struct walker *walker, const struct stack_frame *frame, uint32_t flags)
{
	struct stack_frame *place = &walker->context->walked[walker->count++];

	place->return_address = frame->return_address;
	place->stack_pointer = frame->stack_pointer;
	place->frame_pointer = frame->frame_pointer;
	place->saved_at = frame->saved_at;
	place->flags = flags;
}

static int is_same(const struct stack_frame *known, const struct stack_frame *frame)
{
	return known->stack_pointer == frame->stack_pointer &&
	       known->return_address == frame->return_address &&
	       (!(known->flags & FRAME_MATTERS) ||
		known->frame_pointer == frame->frame_pointer);
}

/* The frame inside of it is the same as it was: is this one, too? */
static int is_unchanged(const struct stack_frame *known)
{
	return walk_word(known->stack_pointer - 8) == known->return_address &&
	       (!(known->flags & FRAME_MATTERS) || !known->saved_at ||
		walk_word(known->saved_at) == known->frame_pointer);
}

/* Is this frame a known one? Then that is the candidate. */
static int is_known(struct walker *walker, const struct stack_frame *frame)
{
	while (walker->candidate >= 0 &&
	       walker->known[walker->candidate].stack_pointer < frame->stack_pointer)
		walker->candidate--;
	return walker->candidate >= 0 &&
	       is_same(&walker->known[walker->candidate], frame);
}

/* The outermost of the known frames that are as they were, going outwards from one that
 * is. */
static int follow(const struct walker *walker, int outermost)
{

	while (outermost > 0 && is_unchanged(&walker->known[outermost - 1]))
		outermost--;
	return outermost;
}

/* All known frames are as they were: does a stack of so many frames also end where the
 * known one did? */
static int ends_alike(const struct walker *walker, int total)
{
	const struct stack_memo *memo = &walker->context->memo;
	uint64_t next;

	if (total > walker->limit)
		return 0;
	if (memo->end == WALK_OUTERMOST)
		return 1;
	next = walk_word(memo->end_at - 8);
	return memo->end == WALK_CALL_SITE
		       ? next == walker->call_site
		       : next != walker->call_site && total == walker->limit;
}

/* Takes known frames from the candidate to `outermost` for new ones. `frame` is the
 * first, and becomes the last of them. The candidate is the next one. 0: the limit has
 * been reached before. */
static int take_over(struct walker *walker, int outermost, struct stack_frame *frame)
{
	for (int i = walker->candidate;; i--) {
		const struct stack_frame *known = &walker->known[i];

		if (i < walker->candidate) {
			if (walker->count == walker->limit) {
				walker->candidate = i;
				return 0;
			}
			frame->return_address = known->return_address;
			frame->stack_pointer = known->stack_pointer;
			frame->saved_at = known->saved_at;
			if (known->saved_at)
				frame->frame_pointer = walk_word(known->saved_at);
		}
		store(walker, frame, known->flags);
		if (i == outermost)
			break;
	}
	walker->candidate = outermost - 1;
	return 1;
}

/* The known frames, if they can be of any use: on this stack, with the same end. */
static int first_candidate(const struct walker *walker)
{
	const struct stack_memo *memo = &walker->context->memo;

	if (memo->base != walker->base || memo->call_site != walker->call_site ||
	    memo->unload_count != process->unload_count ||
	    memo->modes_version != modes_version || memo->end_at > walker->high)
		return -1;
	return (int)memo->count - 1;
}

static struct walk ended(const struct walker *walker, enum walk_end end, int known_count,
			 uintptr_t end_at)
{
	const struct lane_context *context = walker->context;
	uint32_t node =
		known_count && !walker->count ? context->known[known_count - 1].node : 0;

	return (struct walk){end,    walker->count,	known_count, context->walked,
			     end_at, walker->is_single, node,	     walker->base};
}

/* What a handler's frame returns to is the kernel's, and above it lie the registers of
 * what was interrupted, which may be on another stack. Its address is given like one that
 * a call returns to, behind the instruction. 0: it went nowhere. */
static int step_over_signal(struct walker *walker, struct stack_frame *frame)
{
	const struct fiber *fiber = walker->context->fiber;
	const ucontext_t *machine = (const void *)frame->stack_pointer;
	const greg_t *registers = machine->uc_mcontext.gregs;
	uintptr_t stack_pointer;

	if (walker->high - frame->stack_pointer < sizeof(*machine))
		return 0;
	stack_pointer = (uintptr_t)registers[REG_RSP];
	if (stack_pointer <= frame->stack_pointer || stack_pointer > walker->high) {
		if (stack_pointer - fiber->low >= fiber->high - fiber->low)
			return 0;
		walker->high = fiber->high;
	}
	frame->return_address = (uint64_t)registers[REG_RIP] + 1;
	frame->stack_pointer = stack_pointer;
	frame->frame_pointer = (uint64_t)registers[REG_RBP];
	frame->saved_at = 0;
	walker->is_single = 1;
	return 1;
}

/* Of a function that has aligned its stack. 0: it went nowhere. */
static int step_over_realigned(struct walker *walker, struct stack_frame *frame,
			       struct cfi_rule rule)
{
	uintptr_t pointer = frame->frame_pointer, cfa_at = pointer - rule.cfa_words * 8ul;
	uintptr_t cfa;

	if (pointer % 8 || cfa_at < frame->stack_pointer || pointer >= walker->high ||
	    cfa_at > pointer)
		return 0;
	cfa = walk_word(cfa_at);
	if (cfa <= pointer || cfa > walker->high || cfa % 8)
		return 0;
	frame->frame_pointer = walk_word(pointer);
	frame->saved_at = 0;
	frame->stack_pointer = cfa;
	frame->return_address = walk_word(cfa - 8);
	walker->is_single = 1;
	return 1;
}

static cold int step_oddly(struct walker *walker, struct stack_frame *frame,
			   struct cfi_rule rule)
{
	if (rule.kind == CFI_SIGNAL)
		return step_over_signal(walker, frame);
	return rule.kind == CFI_REALIGNED && step_over_realigned(walker, frame, rule);
}

/* Code without tables is taken to keep a frame pointer, as what is made at run time
 * mostly does. */
static struct cfi_rule rule_of(const struct stack_frame *frame)
{
	const struct cfi_rule by_frame_pointer = {.kind = CFI_STEP,
						  .is_from_frame_pointer = 1,
						  .cfa_words = 2,
						  .saved_words = 2};
	struct cfi_rule rule = rules_of(frame->return_address);

	return likely(rule.kind != CFI_UNKNOWN) ? rule : by_frame_pointer;
}

/* No farther. What calls a coroutine's first function has no tables either, and nothing
 * around it. */
static struct walk stopped(struct walker *walker, const struct stack_frame *frame)
{
	if (rules_of(frame->return_address).kind == CFI_UNKNOWN)
		return ended(walker, WALK_OUTERMOST, 0, frame->stack_pointer);
	walker->is_single = 1;
	return ended(walker, WALK_CUT, 0, frame->stack_pointer);
}

static struct walk go(struct walker *walker, struct stack_frame *frame)
{
	for (;;) {
		struct cfi_rule rule;

		if (is_known(walker, frame)) {
			int outermost = follow(walker, walker->candidate);

			if (outermost == 0 &&
			    ends_alike(walker, walker->count + walker->candidate + 1))
				return ended(walker, walker->context->memo.end,
					     walker->candidate + 1,
					     walker->context->memo.end_at);
			if (!take_over(walker, outermost, frame))
				return ended(
					walker, WALK_LIMIT, 0,
					walker->known[walker->candidate].stack_pointer);
			rule = rule_of(frame);
		} else {
			rule = rule_of(frame);
			store(walker, frame,
			      (rule.is_from_frame_pointer ? FRAME_FROM_POINTER : 0) |
				      (rule.saved_words ? FRAME_SAVES_POINTER : 0));
		}
		if (rule.kind == CFI_END)
			return ended(walker, WALK_OUTERMOST, 0, frame->stack_pointer);
		if (!walk_step_by(frame, rule, walker->high) &&
		    !step_oddly(walker, frame, rule))
			return stopped(walker, frame);
		if (walker->call_site && frame->return_address == walker->call_site)
			return ended(walker, WALK_CALL_SITE, 0, frame->stack_pointer);
		if (walker->count == walker->limit)
			return ended(walker, WALK_LIMIT, 0, frame->stack_pointer);
	}
}

struct walk walk_stack(struct lane_context *context, uint32_t base,
		       const struct stack_caller *caller, uint64_t call_site, int limit)
{
	struct walker walker = {.context = context,
				.base = base,
				.known = context->known,
				.call_site = call_site,
				.high = paused_stack_low(context) + context->stack_size,
				.limit = limit};
	struct stack_frame frame = {.return_address = caller->return_address,
				    .stack_pointer = (uintptr_t)(caller + 1),
				    .frame_pointer = caller->frame_pointer};

	/* it begins at 0 then */
	if (paused_stack_low(context) == 0 ||
	    frame.stack_pointer - paused_stack_low(context) > context->stack_size)
		return (struct walk){.end = WALK_FAILED};
	walker.candidate = first_candidate(&walker);
	return go(&walker, &frame);
}

enum cfi_kind walk_step(struct stack_frame *frame, uintptr_t high)
{
	struct cfi_rule rule = rules_of(frame->return_address);

	if (rule.kind == CFI_STEP && !walk_step_by(frame, rule, high))
		return CFI_ODD;
	return (enum cfi_kind)rule.kind;
}

uintptr_t walk_end_of(const struct stack_frame *frame)
{
	struct cfi_rule rule = rules_of(frame->return_address);

	return rule.kind == CFI_STEP ? walk_cfa(frame, rule) : 0;
}

/* The new frames, outermost first, and whether their frame pointers matter to what is
 * outside of them. */
static void fill(const struct walk *walk, struct stack_frame *frame, uint32_t outer)
{
	for (int i = walk->inner_count; i-- > 0; frame++) {
		const struct stack_frame *from = &walk->inner[i];
		uint32_t flags = from->flags & ~(uint32_t)FRAME_MATTERS;

		if (flags & FRAME_FROM_POINTER ||
		    (!(flags & FRAME_SAVES_POINTER) && outer & FRAME_MATTERS))
			flags |= FRAME_MATTERS;
		outer = flags;
		frame->return_address = from->return_address;
		frame->stack_pointer = from->stack_pointer;
		frame->frame_pointer = from->frame_pointer;
		frame->saved_at = from->saved_at;
		frame->flags = flags;
	}
}

/* A handler may jump out of what comes between two of these: what is not whole is not
 * known. */
static void set_count(uint32_t *count, uint32_t value)
{
	__asm__ volatile("" : : : "memory");
	*count = value;
	__asm__ volatile("" : : : "memory");
}

int walk_frame_pointer_matters(const struct stack_frame *frame)
{
	return (frame->flags & FRAME_MATTERS) != 0;
}

void walk_remember(struct lane_context *context, const struct walk *walk,
		   uint64_t call_site)
{
	struct stack_memo *memo = &context->memo;
	uint32_t known_count = (uint32_t)walk->known_count;
	uint32_t outer = known_count ? context->known[known_count - 1].flags : 0;

	set_count(&memo->count, known_count);
	memo->base = walk->base;
	memo->call_site = call_site;
	memo->unload_count = process->unload_count;
	memo->modes_version = modes_version;
	memo->end = walk->end;
	memo->end_at = walk->end_at;
	fill(walk, &context->known[known_count], outer);
}

void walk_keep(struct lane_context *context, int count)
{
	set_count(&context->memo.count, (uint32_t)count);
}
