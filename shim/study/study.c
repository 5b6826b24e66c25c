/* SPDX-License-Identifier: MIT */
/* Calls of functions and regions. */
#include "shim/study/study.h"

#include "shim/core/clock.h"
#include "shim/lane/tree.h"
#include "shim/lane/trigger.h"
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
