/* SPDX-License-Identifier: MIT */
/* Calls of functions and regions. */
#include "shim/study/study.h"

#include "shim/core/clock.h"
#include "shim/lane/functions.h"
#include "shim/lane/tree.h"
#include "shim/study/subject.h"

/* Of a call in a call of the same function: it is a part of that one. */
static int is_inner(const struct lane_context *context, struct study_lane *own,
		    uint32_t node)
{
	uint32_t *known = &own->inner[node % SUBJECT_INNER], at = node;

	if (*known == node)
		return 1;
	while (at > LANE_ROOT) {
		at = context->nodes[at].parent;
		if (tree_is_same_function(context, at, node)) {
			*known = node;
			return 1;
		}
	}
	return 0;
}

static void note_call(struct lane_context *context, struct study_lane *own,
		      const struct study_call *from)
{
	const struct segment_node *node = &context->nodes[from->node];
	uint64_t now = clock_now();
	struct segment_study *study;
	struct subject subject = {.key = from->function,
				  .reason =
					  trigger_actions(from->function) & TRIGGER_STUDY
						  ? SEGMENT_STUDY_ASKED
						  : SEGMENT_STUDY_FOUND,
				  .top = {from->node, node->call_count, node->total_ticks,
					  from->open, now - context->clock_offset},
				  .is_first = node->call_count <= 1,
				  .begin_ticks = from->begin_ticks,
				  .ticks = from->ticks};

	if (is_inner(context, own, from->node))
		return;
	study = subject_study(context, &subject, now);
	if (!study)
		return;
	study->call_count++;
	study->ticks += from->ticks;
	subject_note(context, study, &subject, now);
}

void study_end(struct lane_context *context, const struct study_call *call)
{
	struct study_lane *own = call->node ? subject_begin(context) : NULL;

	if (!own)
		return;
	note_call(context, own, call);
	subject_end(context);
}

void study_leave(struct lane_context *context, uint64_t function, uint32_t node,
		 uint64_t begin_ticks, uint64_t ticks)
{
	struct study_call call = {function, begin_ticks, ticks, node, NULL};

	if (trigger_actions(function) & TRIGGER_STUDIES && (int64_t)ticks > 0)
		study_end(context, &call);
}

/* What a tree knows is whole, or it has no key. */
void study_abandon(struct lane_context *context)
{
	struct study_lane *own = context->study.own;

	for (uint32_t i = 0; own && i < SUBJECT_TREES; i++)
		own->keys[i] = 0;
}

/* The latest mark of the series, or a place for it; NULL: there is none. */
static struct last_mark *mark_of(struct study_lane *own, uint32_t series)
{
	for (uint32_t i = 0; i < SEGMENT_STUDIES_MOST; i++) {
		if (!own->marks[i].series)
			own->marks[i].series = series;
		if (own->marks[i].series == series)
			return &own->marks[i];
	}
	return NULL;
}

/* The innermost open call that was open then, by the clock of the stack; what lies behind
 * the last open one, when there is none. Frames lie in the order of their beginnings. */
static const struct segment_frame *open_since(const struct lane_context *context,
					      uint64_t ticks)
{
	const struct segment_frame *frame = context->top;

	while (frame > context->frames &&
	       (frame[-1].start_ticks > ticks || !frame[-1].node))
		frame--;
	return frame - 1;
}

/* Where the step was done; of the first mark: where the next one is likely to be. */
static void find_top(const struct lane_context *context, const struct last_mark *mark,
		     struct subtree_top *ret)
{
	uint64_t ticks = mark->fiber ? mark->ticks : UINT64_MAX;

	ret->node = LANE_ROOT;
	ret->open = context->frames - 1;
	if (mark->fiber && mark->fiber != context->fiber)
		return;
	ret->open = open_since(context, ticks);
	if (ret->open >= context->frames)
		ret->node = ret->open->node;
}

/* Without what the recorder has left out of all calls since the mark before; on a thread
 * with coroutines that is not known, for the clock of a stack stands while others run. */
static uint64_t own_ticks(const struct lane_context *context,
			  const struct last_mark *mark, const struct study_step *step)
{
	uint64_t all = step->end_ticks - step->begin_ticks;
	uint64_t ticks = step->end_ticks - context->clock_offset - mark->ticks;

	if ((int64_t)all < 0) /* another core's clock is a little behind */
		all = 0;
	return !mark->fiber || context->fiber_count || ticks > all ? all : ticks;
}

static void note_mark(struct lane_context *context, struct study_lane *own,
		      const struct study_step *step)
{
	struct last_mark *mark = mark_of(own, step->series + 1);
	uint64_t now = clock_now();
	struct subject subject = {.series = step->series + 1,
				  .reason = step->reason,
				  .begin_ticks = step->begin_ticks,
				  .ready_ns = step->ready_ns};
	struct segment_study *study;

	if (!mark)
		return;
	if (step->is_first)
		mark->fiber = NULL;
	subject.ticks = own_ticks(context, mark, step);
	find_top(context, mark, &subject.top);
	subject.top.now = step->end_ticks - context->clock_offset;
	study = subject_study(context, &subject, now);
	if (study && mark->fiber) {
		study->call_count++;
		study->ticks += subject.ticks;
		subject.top.call_count = study->call_count;
		subject.top.ticks = study->ticks;
		subject_note(context, study, &subject, now);
	} else if (study) {
		subject_tree(context, &subject, now);
	}
	mark->fiber = context->fiber;
	mark->ticks = subject.top.now; /* what has been since is left out */
}

void study_mark(struct lane_context *context, const struct study_step *step)
{
	struct study_lane *own = subject_begin(context);

	if (!own)
		return;
	note_mark(context, own, step);
	subject_end(context);
}
