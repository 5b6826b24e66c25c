/* SPDX-License-Identifier: MIT */
/*
 * What call paths had between the snapshots of one process, so that a page can show the
 * time between any two. Must not keep every snapshot: there may be thousands.
 */
#include "analyzer/reports/profile/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/snapshots/between.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_MOST 24

/* Values of a node between two moments: its metrics, then the errors of its times. */
enum { SLOT_SELF_ERROR = PROFILE_METRICS, SLOT_TOTAL_ERROR, SLOT_COLUMNS };

struct slicing {
	struct profiling *profiling;
	struct doc *doc;
	struct calltree *tree;
	struct snapshot_list list;
	struct between between;
	struct calltree_node *whole;	 /* the tree's nodes with the run's numbers */
	int64_t (*values)[SLOT_COLUMNS]; /* by node of the profile */
	size_t left_out_count;		 /* snapshots */
};

/* The process with the run's peak if it has snapshots, else the one with most
 * snapshots. */
static const struct snapshot_process *choose(const struct snapshot_list *list)
{
	const struct snapshot_process *best = NULL;

	for (size_t i = 0; i < list->process_count; i++) {
		const struct snapshot_process *one = &list->processes[i];

		if (!one->count)
			continue;
		if (!best || one->has_peak ||
		    (!best->has_peak && one->count > best->count))
			best = one;
	}
	return best;
}

static void add_moment(struct slicing *slicing, const char *label, int64_t time_ns,
		       int64_t live_bytes)
{
	struct heap_moment *moment = heap_course_add(slicing->doc->heap);

	moment->label = profile_clean(slicing->profiling->profile, label);
	moment->time_ns = time_ns > 0 ? time_ns : 0;
	moment->live_bytes = live_bytes > 0 ? live_bytes : 0;
}

/* An inner activation's total is already in that of the outer one. */
static bool is_outermost(const struct slicing *slicing, uint32_t at)
{
	uint32_t parent = slicing->tree->nodes[at].parent;

	return parent == CALLTREE_NONE ||
	       slicing->profiling->places[parent] != slicing->profiling->places[at];
}

static void add_up(struct slicing *slicing)
{
	const struct profiling *profiling = slicing->profiling;
	const struct calltree *tree = slicing->tree;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i], place = profiling->places[at];
		const struct calltree_node *node = &tree->nodes[at];
		int64_t own[SLOT_COLUMNS], *values;

		if (place == PROFILE_NONE ||
		    (profiling->passes && !profiling->passes[at]))
			continue;
		profile_take_node(node, own);
		own[PROFILE_AT_PEAK] = 0;
		own[SLOT_SELF_ERROR] = node->self_error_ns;
		own[SLOT_TOTAL_ERROR] =
			is_outermost(slicing, at) ? node->total_error_ns : 0;
		values = slicing->values[place];
		for (size_t j = 0; j < SLOT_COLUMNS; j++)
			quantity_add(&values[j], own[j]);
	}
}

static bool has_any(const int64_t values[SLOT_COLUMNS])
{
	for (size_t i = 0; i < SLOT_COLUMNS; i++)
		if (values[i])
			return true;
	return false;
}

static void keep(struct slicing *slicing, struct profile_slot *slot)
{
	for (uint32_t i = 0; i < slicing->profiling->profile->tree->node_count; i++) {
		struct profile_sample *sample;

		if (!has_any(slicing->values[i]))
			continue;
		sample = &ARRAY_ADD(slot->samples, slot->sample_count);
		*sample = (struct profile_sample){.node = i, .lane = PROFILE_NONE};
		memcpy(sample->values, slicing->values[i], sizeof(sample->values));
		sample->self_error_ns = slicing->values[i][SLOT_SELF_ERROR];
		sample->total_error_ns = slicing->values[i][SLOT_TOTAL_ERROR];
	}
}

static int64_t time_of(const struct slicing *slicing, const struct moment *moment)
{
	return moment->kind == MOMENT_SNAPSHOT ? moment->snapshot->time_ns
	       : moment->kind == MOMENT_START  ? 0
					       : slicing->profiling->profile->wall_ns;
}

/* Adds the slot from the previous moment to this one. */
/* Adds the slot from the previous moment to this one. */
static void add_slot(struct slicing *slicing, struct moment to)
{
	struct profile *profile = slicing->profiling->profile;
	struct between *between = &slicing->between;
	struct profile_slot *slot = &profile->slots[profile->slot_count++];

	between->b = to;
	memset(slicing->values, 0, profile->tree->node_count * sizeof(*slicing->values));
	/* errors are shares of the whole run's, so start from its numbers */
	memcpy(slicing->tree->nodes, slicing->whole,
	       slicing->tree->node_count * sizeof(*slicing->whole));
	between_load(slicing->profiling->input, between, slicing->tree);
	add_up(slicing);
	keep(slicing, slot);
	slot->start_ns = time_of(slicing, &between->a);
	slot->end_ns = time_of(slicing, &to);
	slot->label = to.kind == MOMENT_SNAPSHOT
			      ? profile_clean(profile, to.snapshot->label)
			      : "exit";
	between->a = to;
}

static void add_slots(struct slicing *slicing)
{
	const struct snapshot_process *process = slicing->between.process;
	size_t count = process->count, step = count / SLOTS_MOST + 1;
	const struct snapshot *snapshots = &slicing->list.snapshots[process->first];

	add_moment(slicing, "start", 0, 0);
	for (size_t i = 0; i < count; i++) {
		add_moment(slicing, snapshots[i].label, snapshots[i].time_ns,
			   snapshots[i].live_bytes);
		if ((i + 1) % step == 0 || i + 1 == count)
			add_slot(slicing, (struct moment){.kind = MOMENT_SNAPSHOT,
							  .snapshot = &snapshots[i]});
		else
			slicing->left_out_count++;
	}
	if (!snapshot_knows_exit(slicing->profiling->input, &slicing->list, process))
		return;
	add_slot(slicing, (struct moment){.kind = MOMENT_EXIT});
	add_moment(slicing, "exit", slicing->profiling->profile->wall_ns,
		   slicing->profiling->profile->sums[PROFILE_LIVE]);
}

static void remark(const struct slicing *slicing)
{
	struct profile *profile = slicing->profiling->profile;
	struct strbuf text = {0};

	if (slicing->left_out_count) {
		units_counted(&text, (int64_t)slicing->left_out_count, "snapshot");
		strbuf_puts(&text, " left out where a range of time is chosen: it has at "
				   "most ");
		units_counted(&text, SLOTS_MOST, "part");
		strbuf_putc(&text, '.');
		profile_remark(profile, strbuf_text(&text));
	}
	for (size_t i = 0; i < slicing->tree->function_count; i++)
		if (slicing->tree->functions[i].is_estimated) {
			profile_remark(profile,
				       "In a range of time, functions of which not each "
				       "call was timed are with their callers.");
			break;
		}
}

void profile_add_slots(struct profiling *profiling, struct doc *doc)
{
	struct slicing slicing = {
		.profiling = profiling, .doc = doc, .tree = profiling->tree};
	struct profile *profile = profiling->profile;
	const struct snapshot_process *process;
	size_t count = slicing.tree->node_count;

	snapshot_list_load(profiling->input, &slicing.list);
	process = choose(&slicing.list);
	if (!process)
		return;
	doc->heap = xcalloc(1, sizeof(*doc->heap));
	profile->slot_pid = process->pid;
	slicing.whole = xcalloc(count + 1, sizeof(*slicing.whole));
	memcpy(slicing.whole, slicing.tree->nodes, count * sizeof(*slicing.whole));
	slicing.between = (struct between){.list = &slicing.list,
					   .process = process,
					   .a.kind = MOMENT_START,
					   .c.kind = MOMENT_EXIT};
	profile->slots = xcalloc(SLOTS_MOST + 3, sizeof(*profile->slots));
	slicing.values = xcalloc(profile->tree->node_count + 1, sizeof(*slicing.values));
	add_slots(&slicing);
	remark(&slicing);
}
