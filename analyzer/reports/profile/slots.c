/* SPDX-License-Identifier: MIT */
/*
 * What call paths had between the snapshots of one process, so that a page can show any
 * stretch between two of them. Must not hold every snapshot: there may be thousands.
 */
#include "analyzer/reports/profile/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/delta/parts.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_MOST 24

/* What a node has between two moments: its metrics, and behind them how far its times may
 * be off. */
enum { SLOT_SELF_ERROR = PROFILE_METRICS, SLOT_TOTAL_ERROR, SLOT_COLUMNS };

struct slicing {
	struct profiling *profiling;
	struct doc *doc;
	struct delta delta;
	struct calltree_node *whole;	 /* the tree's nodes with the run's numbers */
	int64_t (*values)[SLOT_COLUMNS]; /* by node of the profile */
	size_t left_out_count;		 /* snapshots */
};

/* The process with the run's peak, when it has snapshots; else the one with most. */
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

/* Inside of itself a function's total is in that around it already. */
static bool is_outermost(const struct slicing *slicing, uint32_t at)
{
	uint32_t parent = slicing->delta.tree->nodes[at].parent;

	return parent == CALLTREE_NONE ||
	       slicing->profiling->places[parent] != slicing->profiling->places[at];
}

static void add_times(struct slicing *slicing)
{
	const struct calltree *tree = slicing->delta.tree;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i], place = slicing->profiling->places[at];
		const struct calltree_node *node = &tree->nodes[at];
		int64_t *values;

		if (place == PROFILE_NONE ||
		    (slicing->profiling->passes && !slicing->profiling->passes[at]))
			continue;
		values = slicing->values[place];
		quantity_add(&values[PROFILE_CALLS], node->calls);
		quantity_add(&values[PROFILE_WALL], node->self_ns);
		quantity_add(&values[PROFILE_CPU], node->self_cpu_ns);
		quantity_add(&values[PROFILE_READY], node->self_ready_ns);
		quantity_add(&values[PROFILE_BLOCKED], node->self_blocked_ns);
		quantity_add(&values[SLOT_SELF_ERROR], node->self_error_ns);
		if (is_outermost(slicing, at))
			quantity_add(&values[SLOT_TOTAL_ERROR], node->total_error_ns);
	}
}

static void add_sites(struct slicing *slicing)
{
	const struct delta *delta = &slicing->delta;

	for (size_t i = 0; i < delta->site_count; i++) {
		const struct delta_site *site = &delta->sites[i];
		uint32_t place = site->node == CALLTREE_NONE
					 ? PROFILE_NONE
					 : slicing->profiling->places[site->node];
		int64_t *values;

		if (place == PROFILE_NONE || (slicing->profiling->passes &&
					      !slicing->profiling->passes[site->node]))
			continue;
		values = slicing->values[place];
		quantity_add(&values[PROFILE_ALLOCS],
			     delta_minus(site->entry.b.alloc_count,
					 site->entry.a.alloc_count));
		quantity_add(&values[PROFILE_BYTES],
			     delta_minus(site->entry.b.alloc_bytes,
					 site->entry.a.alloc_bytes));
		quantity_add(&values[PROFILE_LIVE], site->entry.b.live_bytes);
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
	size_t capacity = 0;

	for (uint32_t i = 0; i < slicing->profiling->profile->tree->node_count; i++) {
		struct profile_sample *sample;

		if (!has_any(slicing->values[i]))
			continue;
		slot->samples = xgrow(slot->samples, slot->sample_count, &capacity,
				      sizeof(*slot->samples));
		sample = &slot->samples[slot->sample_count++];
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

/* From the moment before to this one. */
static enum exit_status add_slot(struct slicing *slicing, struct moment to)
{
	struct report_input *input = slicing->profiling->input;
	struct profile *profile = slicing->profiling->profile;
	struct delta *delta = &slicing->delta;
	struct profile_slot *slot = &profile->slots[profile->slot_count];
	enum exit_status status;

	delta->b = to;
	delta->site_count = 0;
	arena_free(&delta->texts);
	memset(slicing->values, 0, profile->tree->node_count * sizeof(*slicing->values));
	/* errors are shares of the run's, not of the slot's before */
	memcpy(delta->tree->nodes, slicing->whole,
	       delta->tree->node_count * sizeof(*slicing->whole));
	status = delta_load_sites(input, delta);
	if (status == STATUS_OK)
		status = delta_load_paths(input, delta);
	if (status)
		return status;
	add_times(slicing);
	add_sites(slicing);
	profile->slot_count++;
	keep(slicing, slot);
	slot->start_ns = time_of(slicing, &delta->a);
	slot->end_ns = time_of(slicing, &to);
	slot->label = to.kind == MOMENT_SNAPSHOT
			      ? profile_clean(profile, to.snapshot->label)
			      : "exit";
	delta->a = to;
	return STATUS_OK;
}

static enum exit_status add_slots(struct slicing *slicing)
{
	struct report_input *input = slicing->profiling->input;
	struct delta *delta = &slicing->delta;
	size_t count = delta->process->count, step = count / SLOTS_MOST + 1;
	const struct snapshot *snapshots = &delta->list.snapshots[delta->process->first];
	enum exit_status status = STATUS_OK;
	bool knows_exit = false;

	add_moment(slicing, "start", 0, 0);
	for (size_t i = 0; status == STATUS_OK && i < count; i++) {
		add_moment(slicing, snapshots[i].label, snapshots[i].time_ns,
			   snapshots[i].live_bytes);
		if ((i + 1) % step == 0 || i + 1 == count)
			status = add_slot(slicing,
					  (struct moment){.kind = MOMENT_SNAPSHOT,
							  .snapshot = &snapshots[i]});
		else
			slicing->left_out_count++;
	}
	if (status == STATUS_OK)
		status = snapshot_knows_exit(input, &delta->list, delta->process,
					     &knows_exit);
	if (status || !knows_exit)
		return status;
	status = add_slot(slicing, (struct moment){.kind = MOMENT_EXIT});
	add_moment(slicing, "exit", slicing->profiling->profile->wall_ns,
		   slicing->profiling->profile->sums[PROFILE_LIVE]);
	return status;
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
	for (size_t i = 0; i < slicing->delta.tree->function_count; i++)
		if (slicing->delta.tree->functions[i].is_estimated) {
			profile_remark(profile,
				       "In a range of time, functions of which not each "
				       "call was timed are with their callers.");
			break;
		}
	strbuf_free(&text);
}

int profile_add_slots(struct profiling *profiling, struct doc *doc)
{
	struct slicing slicing = {.profiling = profiling, .doc = doc};
	struct delta *delta = &slicing.delta;
	enum exit_status status = snapshot_list_load(profiling->input, &delta->list);

	delta->process = choose(&delta->list);
	if (status == STATUS_OK && delta->process) {
		doc->heap = xcalloc(1, sizeof(*doc->heap));
		profiling->profile->slot_pid = delta->process->pid;
		delta->tree = profiling->tree;
		slicing.whole =
			xcalloc(delta->tree->node_count + 1, sizeof(*slicing.whole));
		memcpy(slicing.whole, delta->tree->nodes,
		       delta->tree->node_count * sizeof(*slicing.whole));
		delta->a = (struct moment){.kind = MOMENT_START};
		delta->c = (struct moment){.kind = MOMENT_EXIT};
		delta->has_between = true;
		profiling->profile->slots =
			xcalloc(SLOTS_MOST + 3, sizeof(*profiling->profile->slots));
		slicing.values = xcalloc(profiling->profile->tree->node_count + 1,
					 sizeof(*slicing.values));
		status = add_slots(&slicing);
		remark(&slicing);
	}
	free(slicing.values);
	free(slicing.whole);
	free(delta->sites);
	arena_free(&delta->texts);
	snapshot_list_free(&delta->list);
	return status == STATUS_OK ? 0 : -1;
}
