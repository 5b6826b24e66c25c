/* SPDX-License-Identifier: MIT */
/* Trees of studied functions, and the choice at the end of each call. */
#include "shim/study/study.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/trigger.h"
#include "shim/study/keep.h"
#include "shim/study/subtree.h"

/* Paths of studied functions in one lane; the one that was used longest ago goes. */
#define TREES 16u
#define INNER 64u

struct study_lane {
	uint32_t nodes[TREES]; /* of the trees, 0: none */
	struct subtree *trees[TREES];
	uint64_t use_count;
	uint64_t next_tree_ticks; /* none takes the place of another one before */
	uint32_t inner[INNER];	  /* nodes within others of their function */
	uint32_t random;
	struct subtree_parts parts;
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

/* Of a call in a call of the same function: it is a part of that one. */
static int is_inner(const struct lane_context *context, struct study_lane *own,
		    uint32_t node)
{
	uint32_t *known = &own->inner[node % INNER], at = node;
	uint32_t function = context->nodes[node].function;

	if (*known == node)
		return 1;
	while (at > LANE_ROOT) {
		at = context->nodes[at].parent;
		if (context->nodes[at].function == function) {
			*known = node;
			return 1;
		}
	}
	return 0;
}

static struct segment_study *studies_of(const struct lane_context *context)
{
	return arrays_entries(context->lane, &context->lane->studies);
}

/* The lane's study of the function; NULL: there is no room. */
static struct segment_study *study_of(struct lane_context *context,
				      const struct study_call *call, uint64_t now)
{
	struct segment_study *studies = studies_of(context);
	struct segment_lane *lane = context->lane;
	uint32_t count = lane->studies.count, function;

	function = context->nodes[call->node].function;
	for (uint32_t i = 0; i < count; i++)
		if (context->nodes[studies[i].node].function == function)
			return &studies[i];
	if (count >= lane->studies.capacity || !process_may_grow() ||
	    (count + 1) * SEGMENT_STUDY_CASES > lane->cases.capacity ||
	    process_grow(lane, context->slot, ARRAY_STUDIES, count + 1) < 0 ||
	    process_grow(lane, context->slot, ARRAY_CASES,
			 (count + 1) * SEGMENT_STUDY_CASES) < 0)
		return NULL;
	studies[count] = (struct segment_study){
		.key = call->function,
		.begin_ticks = now,
		.reason = trigger_actions(call->function) & TRIGGER_STUDY
				  ? SEGMENT_STUDY_ASKED
				  : SEGMENT_STUDY_FOUND,
		.node = call->node};
	arrays_publish(&lane->cases, (count + 1) * SEGMENT_STUDY_CASES);
	arrays_publish(&lane->studies, count + 1);
	return &studies[count];
}

/* A place for a tree: a free one, or that which has not been used for longest. */
static uint32_t find_place(const struct study_lane *own)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < TREES; i++) {
		if (!own->trees[i])
			return i;
		if (own->trees[i]->last_use < own->trees[found]->last_use)
			found = i;
	}
	return found;
}

#define COST_MOST (clock_tenth_of_second() >> 11) /* 50 us, of the first look */

/* What looking took, as far as it can have taken that: it may have been interrupted, and
 * for 32 times as long nobody would look again. */
static void note_cost(struct subtree *tree, uint64_t since)
{
	uint64_t ticks = clock_now() - since;
	uint64_t most = tree->cost_ticks ? 4 * tree->cost_ticks : COST_MOST;

	tree->cost_ticks = ticks < most ? ticks : most;
	tree->next_ticks = since + tree->cost_ticks * STUDY_SHARE;
}

/* Begins a tree at the end of a call of this node. */
static struct subtree *begin_tree(struct lane_context *context, struct study_lane *own,
				  uint32_t node, uint64_t now)
{
	struct subtree *tree;
	uint32_t place;

	place = find_place(own);
	if (own->nodes[place] && now < own->next_tree_ticks)
		return NULL;
	if (!own->trees[place] && process_may_grow())
		own->trees[place] = process_map(sizeof(struct subtree), 1);
	tree = own->trees[place];
	if (!tree)
		return NULL;
	own->nodes[place] = 0;
	subtree_begin(tree, context, node);
	own->nodes[place] = node;
	note_cost(tree, now);
	own->next_tree_ticks = tree->next_ticks;
	tree->next_ticks = 0;
	return tree;
}

static struct subtree *tree_of(struct lane_context *context, struct study_lane *own,
			       uint32_t node, uint64_t now)
{
	struct subtree *tree = NULL;

	for (uint32_t i = 0; i < TREES && !tree; i++)
		if (own->nodes[i] == node)
			tree = own->trees[i];
	if (!tree)
		tree = begin_tree(context, own, node, now);
	if (tree)
		tree->last_use = ++own->use_count;
	return tree;
}

static uint32_t next_random(struct study_lane *own)
{
	own->random ^= own->random << 13; /* xorshift32, Marsaglia 2003 */
	own->random ^= own->random >> 17;
	own->random ^= own->random << 5;
	return own->random;
}

/* Where an ordinary call is kept among those by chance; NULL: it is not. Each of those
 * that could have been is as likely. */
static struct segment_case *usual_place(struct segment_study *study,
					struct segment_case *cases,
					struct study_lane *own)
{
	uint64_t place = study->alone_count++;

	if (place >= SEGMENT_STUDY_USUAL)
		place = next_random(own) % study->alone_count;
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

/* Keeps it where it belongs. A call right after a look is worth another one when it is to
 * be a usual one: ever fewer are. */
static void judge(struct lane_context *context, struct segment_study *study,
		  struct subtree *tree, const struct keep_call *call, uint64_t now)
{
	int is_due =
		now >= tree->next_ticks || call->ticks >= tree->cost_ticks * STUDY_SHARE;
	struct segment_case *cases = keep_cases(context, study);
	struct segment_case *slow = is_due ? slow_place(study, cases, call) : NULL;
	struct segment_case *usual = NULL;
	struct study_lane *own = context->study.own;

	if (!slow && !call->beside_call_count)
		usual = usual_place(study, cases, own);
	if (!is_due && !usual) {
		note_missed(study, cases, call->ticks);
		return;
	}
	subtree_ask(tree, context, slow || usual ? &own->parts : NULL);
	if (slow)
		keep_slow(study, slow, call, &own->parts);
	else if (usual)
		keep_write(usual, call, &own->parts);
	study->folded_count += tree->folded_count;
	tree->folded_count = 0;
	note_cost(tree, now);
	study->cost_ticks += tree->cost_ticks;
}

static void note(struct lane_context *context, const struct study_call *from)
{
	const struct segment_node *node = &context->nodes[from->node];
	struct study_lane *own = own_of(context);
	uint64_t now = clock_now();
	struct segment_study *study;
	struct subtree *tree;
	struct keep_call call;

	if (!own || is_inner(context, own, from->node))
		return;
	study = study_of(context, from, now);
	if (!study)
		return;
	study->call_count++;
	study->ticks += from->ticks;
	tree = tree_of(context, own, from->node, now);
	if (!tree || tree->call_count == node->call_count) {
		/* it has just begun: after this call */
		note_missed(study, keep_cases(context, study), from->ticks);
		return;
	}
	call = (struct keep_call){
		.begin_ticks = from->begin_ticks,
		.ticks = from->ticks,
		.number = study->call_count,
		.beside_call_count = node->call_count - tree->call_count - 1,
		.beside_ticks = node->total_ticks - tree->ticks - from->ticks,
		.node = from->node,
		.thread = context->lane->thread};
	judge(context, study, tree, &call, now);
}

void study_end(struct lane_context *context, const struct study_call *call)
{
	if (context->study.busy || !call->node)
		return;
	context->study.busy = (uintptr_t)__builtin_frame_address(0);
	__asm__ volatile("" : : : "memory");
	note(context, call);
	__asm__ volatile("" : : : "memory");
	context->study.busy = 0;
}

void study_leave(struct lane_context *context, uint64_t function, uint32_t node,
		 uint64_t begin_ticks, uint64_t ticks)
{
	struct study_call call = {function, begin_ticks, ticks, node};

	if (trigger_actions(function) & TRIGGER_STUDIES && (int64_t)ticks > 0)
		study_end(context, &call);
}

void study_abandon(struct lane_context *context)
{
	context->study.busy = 0;
}
