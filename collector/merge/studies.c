/* SPDX-License-Identifier: MIT */
/* Checks the cases of lanes, turns nodes into paths and keeps the slowest. */
#include "collector/merge/place.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

#define STUDIES_MOST 256u /* of a run */

/* Cases of one study held before leave_out() drops some. */
#define CASES_HELD 128u

static struct studies_study *study_of(struct merge *merge,
				      const struct studies_study *like)
{
	struct studies *studies = &merge->studies;

	for (size_t i = 0; i < studies->count; i++)
		if (studies->all[i].function == like->function &&
		    strcmp(studies->all[i].step, like->step) == 0)
			return &studies->all[i];
	if (studies->count >= STUDIES_MOST) {
		studies->lost_count++;
		return NULL;
	}
	POOL_ADD(&merge->pool, studies->all, studies->count) = *like;
	return &studies->all[studies->count - 1];
}

/* Fills in what a lane's study is about. Returns 0 when that is not plausible. */
static int identify(const struct lane_walk *walk, const struct segment_study *from,
		    struct studies_study *ret)
{
	*ret = (struct studies_study){.begin_ticks = UINT64_MAX};
	if (from->node >= walk->data.node_count)
		return 0;
	ret->path = place_path(walk, from->node);
	if (!from->series) {
		ret->function = ret->path ? walk->merge->paths[ret->path].function : 0;
		return ret->path != 0;
	}
	if (from->series > walk->data.series_count ||
	    walk->data.series[from->series - 1].kind != SEGMENT_SERIES_STEP)
		return 0;
	snprintf(ret->step, sizeof(ret->step), "%.*s", (int)sizeof(ret->step) - 1,
		 walk->data.series[from->series - 1].name);
	if (!ret->step[0])
		strcpy(ret->step, "[no name]");
	return 1;
}

static void add_sums(struct studies_study *study, const struct segment_study *from)
{
	if (from->begin_ticks < study->begin_ticks)
		study->begin_ticks = from->begin_ticks;
	if (study->reason != SEGMENT_STUDY_ASKED)
		study->reason = from->reason == SEGMENT_STUDY_ASKED ? SEGMENT_STUDY_ASKED
								    : SEGMENT_STUDY_FOUND;
	count_add(&study->call_count, from->call_count);
	count_add(&study->ticks, from->ticks);
	count_add(&study->alone_count, from->alone_count);
	count_add(&study->missed_count, from->missed_count);
	count_add(&study->ready_count, from->ready_count);
	count_add(&study->ready_ticks, from->ready_ticks);
	count_add(&study->folded_count, from->folded_count);
	count_add(&study->cost_ticks, from->cost_ticks);
}

static struct studies_part *part_of(struct studies_case *to, uint32_t path)
{
	for (uint32_t i = 0; i < to->part_count; i++)
		if (to->parts[i].path == path)
			return &to->parts[i];
	to->parts[to->part_count] = (struct studies_part){
		.path = path, .parent = STUDIES_NONE, .is_first = 1};
	return &to->parts[to->part_count++];
}

static void add_part(struct studies_case *to, const struct segment_case_part *from,
		     uint32_t path, int is_folded)
{
	struct studies_part *part = part_of(to, path);

	if (!is_folded && from->call_count) {
		count_add(&part->call_count, from->call_count);
		count_add(&part->ticks, from->ticks);
		part->is_first &= from->is_first != 0;
	}
	count_add(&part->alloc_count, from->alloc_count);
	count_add(&part->alloc_bytes, from->alloc_bytes);
	count_add(&part->ready_ns, from->ready_ns);
	count_add(&part->blocked_ns, from->blocked_ns);
}

static void find_parents(struct studies_case *to, const struct lane_walk *walk)
{
	for (uint32_t i = 0; i < to->part_count; i++) {
		const struct merge_path *paths = walk->merge->paths;
		uint32_t at = paths[to->parts[i].path].parent;

		for (; at && to->parts[i].parent == STUDIES_NONE; at = paths[at].parent)
			for (uint32_t j = 0; j < i; j++)
				if (to->parts[j].path == at)
					to->parts[i].parent = j;
		if (i && to->parts[i].parent == STUDIES_NONE && !to->path)
			to->parts[i].parent = 0; /* everything lies below it */
		if (!to->parts[i].call_count)
			to->parts[i].is_first = 0;
	}
}

/* Does the node have a path? The lane's root has none, but steps may have been there. */
static int has_path(const struct lane_walk *walk, uint32_t node, int is_step)
{
	return place_path(walk, node) ||
	       (is_step && node == LANE_ROOT && node < walk->data.node_count);
}

/* Reads a case. Returns 0 when it is incomplete. */
static int read_case(const struct lane_walk *walk, const struct segment_case *from,
		     int is_step, struct studies_case *ret)
{
	if (from->part_count > SEGMENT_CASE_PARTS ||
	    !has_path(walk, from->node, is_step) || from->own_ticks > from->ticks)
		return 0;
	*ret = (struct studies_case){.lane = walk->lane,
				     .path = place_path(walk, from->node),
				     .is_slow = from->is_slow != 0,
				     .begin_ticks = from->begin_ticks,
				     .ticks = from->ticks,
				     .own_ticks = from->own_ticks,
				     .number = from->number,
				     .beside_call_count = from->beside_call_count,
				     .beside_ticks = from->beside_ticks,
				     .folded_count = from->folded_count};
	ret->parts = pool_array(&walk->merge->pool, from->part_count + 1u,
				sizeof(*ret->parts));
	for (uint32_t i = 0; i < from->part_count; i++) {
		const struct segment_case_part *part = &from->parts[i];

		if (has_path(walk, part->node, is_step && part->node == from->node))
			add_part(ret, part, place_path(walk, part->node),
				 walk->nodes[part->node].is_folded);
		else
			ret->folded_count++;
	}
	find_parents(ret, walk);
	return 1;
}

static int compare_slow(const void *a, const void *b)
{
	const struct studies_case *left = a, *right = b;

	return ORDER_BY_2(right, left, is_slow, own_ticks)
		       ?: ORDER_BY(left, right, begin_ticks);
}

/* Keeps the slowest cases and, of the others, those around the median. */
static void leave_out(struct studies_study *study)
{
	size_t slow = 0, usual, kept, first;

	qsort(study->cases, study->case_count, sizeof(*study->cases), compare_slow);
	while (slow < study->case_count && study->cases[slow].is_slow)
		slow++;
	usual = study->case_count - slow;
	kept = slow < STUDIES_SLOWEST ? slow : STUDIES_SLOWEST;
	for (size_t i = kept; i < slow; i++)
		pool_free(study->cases[i].parts);
	first = usual > STUDIES_USUAL ? (usual - STUDIES_USUAL) / 2 : 0;
	for (size_t i = 0; i < usual; i++) {
		if (i >= first && i < first + STUDIES_USUAL)
			study->cases[kept++] = study->cases[slow + i];
		else
			pool_free(study->cases[slow + i].parts);
	}
	study->case_count = kept;
}

static void add_case(struct merge *merge, struct studies_study *study,
		     const struct studies_case *from)
{
	if (study->case_count >= CASES_HELD)
		leave_out(study);
	POOL_ADD(&merge->pool, study->cases, study->case_count) = *from;
}

static void add_cases(struct studies_study *study, const struct lane_walk *walk,
		      uint32_t number)
{
	int is_step = walk->data.studies[number].series != 0;

	for (uint32_t i = number * SEGMENT_STUDY_CASES;
	     i < (number + 1) * SEGMENT_STUDY_CASES && i < walk->data.case_count; i++) {
		const struct segment_case *from = &walk->data.cases[i];
		struct studies_case entry;

		if (!from->serial || from->serial & 1)
			continue; /* the writer died in between */
		if (read_case(walk, from, is_step, &entry))
			add_case(walk->merge, study, &entry);
		else
			walk->merge->damaged_count++;
	}
}

void studies_add_lane(const struct lane_walk *walk)
{
	for (uint32_t i = 0; i < walk->data.study_count && i < SEGMENT_STUDIES_MOST;
	     i++) {
		const struct segment_study *own = &walk->data.studies[i];
		struct studies_study *study, like;

		if (!identify(walk, own, &like)) {
			walk->merge->damaged_count++;
			continue;
		}
		study = study_of(walk->merge, &like);
		if (!study)
			continue;
		add_sums(study, own);
		add_cases(study, walk, i);
	}
}

void studies_finish(struct studies *studies)
{
	for (size_t i = 0; i < studies->count; i++)
		leave_out(&studies->all[i]);
}

static double positive(double value)
{
	return value > 0 ? value : 0;
}

/* A parent precedes its children, so this goes backwards: each part hands what lies at
 * and below it to its parent. */
void studies_times(const struct studies_case *from, const struct studies_cost *cost,
		   double *ret_total_ns, double *ret_self_ns)
{
	auto_free double *below_ns = xcalloc(from->part_count + 1u, sizeof(*below_ns));
	auto_free double *hooks_ns = xcalloc(from->part_count + 1u, sizeof(*hooks_ns));

	for (uint32_t i = from->part_count; i-- > 0;) {
		const struct studies_part *part = &from->parts[i];
		double calls = (double)part->call_count, raw_ns, inside_ns;

		inside_ns = hooks_ns[i] + (double)part->alloc_count * cost->alloc_ns +
			    calls * cost->inner_ns;
		raw_ns = (double)part->ticks * cost->ns_per_tick;
		ret_total_ns[i] =
			part->call_count ? positive(raw_ns - inside_ns) : below_ns[i];
		ret_self_ns[i] = positive(ret_total_ns[i] - below_ns[i]);
		if (part->parent >= i)
			continue; /* STUDIES_NONE, too */
		below_ns[part->parent] += ret_total_ns[i];
		hooks_ns[part->parent] += inside_ns + calls * cost->outer_ns;
	}
}
