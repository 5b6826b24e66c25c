/* SPDX-License-Identifier: MIT */
/* Stepping from frame to frame, and comparing with the last stack. */
#include "shim/stacks/walk.h"

#include "shim/core/process.h"
#include "shim/stacks/rules.h"

/* Flags of frames. */
enum {
	FRAME_FROM_POINTER = 1,	 /* its CFA depends on its frame pointer */
	FRAME_SAVES_POINTER = 2, /* the next frame's pointer is stored in it */
	FRAME_MATTERS = 4, /* the way from here on depends on the frame pointer here */
};

static uint64_t word_at(uintptr_t address)
{
	return *(const uint64_t *)address;
}

/* What one walk needs to know. */
struct walker {
	struct lane_context *context;
	const struct stack_frame *known;
	uint64_t call_site;
	uintptr_t high; /* end of the stack in use */
	int limit;
	int candidate; /* the innermost known frame that may come next, or -1 */
	int count;     /* new frames */
};

/* Goes from a frame to its caller's. 0: there is no simple way. */
static int step(struct stack_frame *frame, struct cfi_rule rule, uintptr_t high)
{
	uintptr_t from =
		rule.is_from_frame_pointer ? frame->frame_pointer : frame->stack_pointer;
	uintptr_t cfa = from + rule.cfa_words * 8ul;
	uintptr_t saved_at = rule.saved_words ? cfa - rule.saved_words * 8ul : 0;

	if (rule.kind != CFI_STEP || cfa <= frame->stack_pointer || cfa > high ||
	    cfa % 8 || (saved_at && saved_at < frame->stack_pointer))
		return 0;
	if (saved_at)
		frame->frame_pointer = word_at(saved_at);
	frame->saved_at = saved_at;
	frame->stack_pointer = cfa;
	frame->return_address = word_at(cfa - 8);
	return 1;
}

static void store(struct walker *walker, const struct stack_frame *frame, uint32_t flags)
{
	struct stack_frame *place = &walker->context->walked[walker->count++];

	*place = *frame;
	place->flags = flags;
}

/* Is this frame a known one? Then that is the candidate. */
static int is_known(struct walker *walker, const struct stack_frame *frame)
{
	const struct stack_frame *known;

	while (walker->candidate >= 0 &&
	       walker->known[walker->candidate].stack_pointer < frame->stack_pointer)
		walker->candidate--;
	if (walker->candidate < 0)
		return 0;
	known = &walker->known[walker->candidate];
	return known->stack_pointer == frame->stack_pointer &&
	       known->return_address == frame->return_address &&
	       (!(known->flags & FRAME_MATTERS) ||
		known->frame_pointer == frame->frame_pointer);
}

/* The outermost of the known frames that are the same as the last time, going outwards
 * from the candidate, which is. */
static int follow(const struct walker *walker)
{
	int outermost = walker->candidate;

	while (outermost > 0) {
		const struct stack_frame *next = &walker->known[outermost - 1];

		if (word_at(next->stack_pointer - 8) != next->return_address ||
		    (next->flags & FRAME_MATTERS && next->saved_at &&
		     word_at(next->saved_at) != next->frame_pointer))
			break;
		outermost--;
	}
	return outermost;
}

/* All known frames are the same: does the stack also end where the last one did? */
static int ends_alike(const struct walker *walker)
{
	const struct stack_memo *memo = &walker->context->memo;
	int total = walker->count + walker->candidate + 1;
	uint64_t next;

	if (total > walker->limit)
		return 0;
	if (memo->end == WALK_OUTERMOST)
		return 1;
	next = word_at(memo->end_at - 8);
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
				frame->frame_pointer = word_at(known->saved_at);
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

	if (memo->base != walker->context->current ||
	    memo->call_site != walker->call_site ||
	    memo->unload_count != process->unload_count || memo->end_at > walker->high)
		return -1;
	return (int)memo->count - 1;
}

static struct walk ended(const struct walker *walker, enum walk_end end, int reused_count,
			 uintptr_t end_at)
{
	return (struct walk){end, walker->count, reused_count, end_at};
}

static struct walk go(struct walker *walker, struct stack_frame *frame)
{
	for (;;) {
		struct cfi_rule rule;

		if (is_known(walker, frame)) {
			int outermost = follow(walker);

			if (outermost == 0 && ends_alike(walker))
				return ended(walker, walker->context->memo.end,
					     walker->candidate + 1,
					     walker->context->memo.end_at);
			if (!take_over(walker, outermost, frame))
				return ended(
					walker, WALK_LIMIT, 0,
					walker->known[walker->candidate].stack_pointer);
			rule = rules_of(frame->return_address);
		} else {
			rule = rules_of(frame->return_address);
			store(walker, frame,
			      (rule.is_from_frame_pointer ? FRAME_FROM_POINTER : 0) |
				      (rule.saved_words ? FRAME_SAVES_POINTER : 0));
		}
		if (rule.kind == CFI_END)
			return ended(walker, WALK_OUTERMOST, 0, frame->stack_pointer);
		if (!step(frame, rule, walker->high))
			return ended(walker, WALK_FAILED, 0, 0);
		if (walker->call_site && frame->return_address == walker->call_site)
			return ended(walker, WALK_CALL_SITE, 0, frame->stack_pointer);
		if (walker->count == walker->limit)
			return ended(walker, WALK_LIMIT, 0, frame->stack_pointer);
	}
}

struct walk walk_stack(struct lane_context *context, const struct stack_caller *caller,
		       uint64_t call_site, int limit)
{
	struct walker walker = {.context = context,
				.known = context->known,
				.call_site = call_site,
				.high = context->stack_low + context->stack_size,
				.limit = limit};
	struct stack_frame frame = {.return_address = caller->return_address,
				    .stack_pointer = (uintptr_t)(caller + 1),
				    .frame_pointer = caller->frame_pointer};

	/* a stack whose bounds are not known begins at 0 */
	if (context->stack_low == 0 ||
	    frame.stack_pointer - context->stack_low > context->stack_size)
		return (struct walk){.end = WALK_FAILED};
	walker.candidate = first_candidate(&walker);
	return go(&walker, &frame);
}

void walk_remember(struct lane_context *context, const struct walk *walk,
		   uint64_t call_site)
{
	struct stack_memo *memo = &context->memo;
	int at = walk->reused_count;
	uint32_t outer = at ? context->known[at - 1].flags : 0;

	memo->base = context->current;
	memo->call_site = call_site;
	memo->unload_count = process->unload_count;
	memo->end = walk->end;
	memo->end_at = walk->end_at;
	for (int i = walk->new_count; i-- > 0; at++) {
		struct stack_frame *frame = &context->known[at];

		*frame = context->walked[i];
		frame->flags &= ~(uint32_t)FRAME_MATTERS;
		if (frame->flags & FRAME_FROM_POINTER ||
		    (!(frame->flags & FRAME_SAVES_POINTER) && outer & FRAME_MATTERS))
			frame->flags |= FRAME_MATTERS;
		outer = frame->flags;
	}
}
