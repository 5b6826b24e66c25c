/* SPDX-License-Identifier: MIT */
/* The ends of calls and steps that are studied: whose study and tree they have, and
 * whether they are kept. */
#include "shim/study/study.h"

#include "common/sampling_event.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/functions.h"
#include "shim/lane/tree.h"
#include "shim/study/subtree.h"

/*
 * What has ended and is studied, a call or a step: its study, its tree, and whether it is
 * kept. Runs on: the lane's thread, any context; not inside of itself: subject_begin().
 */

/* Looking takes 1 / 32 of the time of a thread; where nobody has asked for it, it is to
 * leave most of the budget to others. */
#define STUDY_SHARE 32u
#define STUDY_SHARE_FOUND 128u

/* Paths of studied functions in one lane; the one that was used longest ago goes. */
#define SUBJECT_TREES 16u
#define SUBJECT_INNER 64u

/* The latest mark of a studied step: which calls that are open now were open then. */
struct last_mark {
	uint32_t series;	   /* 1 + its number; 0: none */
	const struct fiber *fiber; /* NULL: there was none yet */
	uint64_t ticks;		   /* of the stack's clock */
};

/* The lane's private memory. */
struct study_lane {
	uint64_t keys[SUBJECT_TREES]; /* of the trees, 0: none */
	struct subtree *trees[SUBJECT_TREES];
	uint64_t use_count;
	uint64_t next_ticks;	       /* no look before, unless it is worth it */
	uint32_t inner[SUBJECT_INNER]; /* nodes within others of their function */
	uint32_t random;
	struct last_mark marks[SEGMENT_STUDIES_MOST];
	struct subtree_parts parts;
};

/* A call that has ended, or a step of a series. */
struct subject {
	uint32_t series; /* 1 + its number; 0: a function's */
	uint64_t key;	 /* of the function */
	enum segment_study_reason reason;
	struct subtree_top top;
	int is_first; /* nobody had been at the node before */
	uint64_t begin_ticks, ticks;
	uint64_t ready_ns; /* of a step */
};

static struct study_lane *own_of(struct lane_context *context)
{
	struct study_lane *own = context->study.own;

	if (own || !process_may_grow())
		return own;
	own = process_map(sizeof(*own), 1);
	if (own)
		own->random = context->slot * 2654435761u | 1;
	context->study.own = own;
	return own;
}

/* The lane's, to itself until the end; NULL: somebody is at it, or there is no room. */
static struct study_lane *subject_begin(struct lane_context *context)
{
	if (!own_of(context) ||
	    !busy_take(context, BUSY_STUDY, (uintptr_t)__builtin_frame_address(0)))
		return NULL;
	return context->study.own;
}

static void subject_end(struct lane_context *context)
{
	busy_give(context, BUSY_STUDY);
}

static struct segment_study *studies_of(const struct lane_context *context)
{
	return arrays_entries(context->lane, &context->lane->studies);
}

static int is_study_of(const struct lane_context *context,
		       const struct segment_study *study, const struct subject *subject)
{
	if (study->series || subject->series)
		return study->series == subject->series;
	return tree_is_same_function(context, study->node, subject->top.node);
}

/* The lane's study of it, made when there is none; NULL: there is no room. */
static struct segment_study *subject_study(struct lane_context *context,
					   const struct subject *subject, uint64_t now)
{
	struct segment_study *studies = studies_of(context);
	struct segment_lane *lane = context->lane;
	uint32_t count = lane->studies.count;

	for (uint32_t i = 0; i < count; i++)
		if (is_study_of(context, &studies[i], subject))
			return &studies[i];
	if (count >= lane->studies.capacity || !process_may_grow() ||
	    (count + 1) * SEGMENT_STUDY_CASES > lane->cases.capacity ||
	    process_grow(lane, context->slot, ARRAY_STUDIES, count + 1) < 0 ||
	    process_grow(lane, context->slot, ARRAY_CASES,
			 (count + 1) * SEGMENT_STUDY_CASES) < 0)
		return NULL;
	studies[count] = (struct segment_study){.begin_ticks = now,
						.reason = subject->reason,
						.series = subject->series,
						.node = subject->top.node};
	arrays_publish(&lane->cases, (count + 1) * SEGMENT_STUDY_CASES);
	arrays_publish(&lane->studies, count + 1);
	return &studies[count];
}

/* A place for a tree: a free one, or that which has not been used for longest. */
static uint32_t find_place(const struct study_lane *own)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < SUBJECT_TREES; i++) {
		if (!own->trees[i])
			return i;
		if (own->trees[i]->last_use < own->trees[found]->last_use)
			found = i;
	}
	return found;
}

/* 50 us, of any look, and 200 ns for each node that was read: most come from memory. */
#define COST_MOST (clock_tenth_of_second() >> 11)
#define STEP_MOST (clock_tenth_of_second() >> 19)

/* What looking took, as far as it can have taken that: it may have been interrupted, and
 * for 32 times as long nobody would look again. What bounds it is the work that was done,
 * not what looking took before: a look that finds a million new nodes takes a thousand
 * times the one before it. */
static void note_cost(const struct lane_context *context, const struct subject *subject,
		      struct subtree *tree, uint64_t since)
{
	struct study_lane *own = context->study.own;
	uint64_t ticks = clock_now() - since,
		 busy_ticks = lane_busy_ticks(context, since);
	uint64_t most = COST_MOST + tree->step_count * STEP_MOST;

	tree->cost_ticks = ticks < most ? ticks : most;
	if (own->next_ticks < busy_ticks)
		own->next_ticks = busy_ticks;
	own->next_ticks += tree->cost_ticks * (subject->reason == SEGMENT_STUDY_FOUND
						       ? STUDY_SHARE_FOUND
						       : STUDY_SHARE);
}

/* One tree for each node, and for each step that has it as its innermost call. */
static uint64_t key_of(const struct subject *subject)
{
	return (uint64_t)subject->series << 32 | subject->top.node;
}

/* Begins a tree at the end of a call of its node. */
static struct subtree *begin_tree(struct lane_context *context, struct study_lane *own,
				  const struct subject *subject, uint64_t now)
{
	struct subtree *tree;
	uint32_t place;

	place = find_place(own);
	if (own->keys[place] && lane_busy_ticks(context, now) < own->next_ticks)
		return NULL;
	if (!own->trees[place] && process_may_grow())
		own->trees[place] = process_map(sizeof(struct subtree), 1);
	tree = own->trees[place];
	if (!tree)
		return NULL;
	own->keys[place] = 0;
	subtree_begin(tree, context, &subject->top, subject->is_first);
	own->keys[place] = key_of(subject);
	note_cost(context, subject, tree, now);
	return tree;
}

/* Its tree, which begins when there is none: to know what the next one does. */
static struct subtree *subject_tree(struct lane_context *context,
				    const struct subject *subject, uint64_t now)
{
	struct study_lane *own = context->study.own;
	struct subtree *tree = NULL;

	for (uint32_t i = 0; i < SUBJECT_TREES && !tree; i++)
		if (own->keys[i] == key_of(subject))
			tree = own->trees[i];
	if (!tree)
		tree = begin_tree(context, own, subject, now);
	if (tree)
		tree->last_use = ++own->use_count;
	return tree;
}

/* Where an ordinary call is kept among those by chance; NULL: it is not. Each of those
 * that could have been is as likely. */
static struct segment_case *usual_place(struct segment_study *study,
					struct segment_case *cases,
					struct study_lane *own)
{
	uint64_t place = study->alone_count++;

	if (place >= SEGMENT_STUDY_USUAL)
		place = sampling_random(&own->random) % study->alone_count;
	return place < SEGMENT_STUDY_USUAL ? &cases[SEGMENT_STUDY_SLOWEST + place] : NULL;
}

/* A call of which nothing is known: does it matter? */
static void note_missed(struct segment_study *study, struct segment_case *cases,
			uint64_t ticks)
{
	study->missed_count += keep_slow_place(cases, ticks) &&
			       ticks / 4 > study->ticks / study->call_count;
}

/* Among the slowest; NULL: it is none of them, or too much was done beside it. */
static struct segment_case *slow_place(struct segment_study *study,
				       struct segment_case *cases,
				       const struct keep_call *call)
{
	if (call->beside_ticks <= call->ticks / 4)
		return keep_slow_place(cases, call->ticks);
	note_missed(study, cases, call->ticks);
	return NULL;
}

/* How far looks at slow calls may be ahead of their share: a few in a row are seen, and
 * not all of a server whose requests are all slow against a look, as they wait. */
#define AHEAD_MOST (clock_tenth_of_second() >> 2)

static int is_due(const struct lane_context *context, const struct subtree *tree,
		  const struct keep_call *call, uint64_t now)
{
	uint64_t busy_ticks = lane_busy_ticks(context, now);
	const struct study_lane *own = context->study.own;

	if (!tree->step_count || busy_ticks >= own->next_ticks)
		return 1;
	return call->ticks >= tree->cost_ticks * STUDY_SHARE &&
	       own->next_ticks - busy_ticks < AHEAD_MOST;
}

/* Keeps it where it belongs. A call right after a look is worth another one when it is to
 * be a usual one: ever fewer are. */
static void judge(struct lane_context *context, struct segment_study *study,
		  struct subtree *tree, const struct subject *subject,
		  const struct keep_call *call, uint64_t now)
{
	struct study_lane *own = context->study.own;
	int may_look = is_due(context, tree, call, now);
	struct segment_case *cases = keep_cases(context, study);
	struct segment_case *slow = may_look ? slow_place(study, cases, call) : NULL;
	struct segment_case *usual = NULL;

	if (!slow && !call->beside_call_count)
		usual = usual_place(study, cases, own);
	if (!may_look && !usual) {
		note_missed(study, cases, call->ticks);
		return;
	}
	subtree_ask(tree, context, &subject->top, slow || usual ? &own->parts : NULL);
	if (slow)
		keep_slow(study, slow, call, &own->parts);
	else if (usual)
		keep_write(usual, call, &own->parts);
	study->folded_count += tree->folded_count;
	tree->folded_count = 0;
	note_cost(context, subject, tree, now);
	study->cost_ticks += tree->cost_ticks;
}

/* What came between the last look at the tree and this call. */
static struct keep_call call_of(const struct subject *subject, const struct subtree *tree,
				uint64_t number)
{
	const struct subtree_top *top = &subject->top;

	return (struct keep_call){
		.begin_ticks = subject->begin_ticks,
		.ticks = subject->ticks,
		.number = number,
		.beside_call_count = top->call_count - tree->call_count - 1,
		.beside_ticks = top->ticks - tree->ticks - subject->ticks,
		.ready_ns = subject->ready_ns,
		.node = top->node};
}

/* Keeps it, perhaps. It is counted in the study already. */
static void subject_note(struct lane_context *context, struct segment_study *study,
			 const struct subject *subject, uint64_t now)
{
	struct subtree *tree = subject_tree(context, subject, now);
	struct keep_call call;

	if (!tree || tree->call_count == subject->top.call_count) {
		/* it has just begun: after this call */
		note_missed(study, keep_cases(context, study), subject->ticks);
		return;
	}
	call = call_of(subject, tree, study->call_count);
	judge(context, study, tree, subject, &call, now);
}

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
