/* SPDX-License-Identifier: MIT */
/*
 * Slots for a forked child: its own, or those of a process that has ended. Must not write
 * anything of the parent's.
 */
#include "shim/children/slots.h"

#include "common/attributes.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/patch/modes.h"
#include "shim/patch/sites.h"

static void copy_bytes(char *to, const char *from, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		to[i] = from[i];
}

/* The parent's modules are the child's: recorded addresses refer to them. */
static void copy_modules(struct segment_process *to, const struct segment_process *from)
{
	uint32_t count = arrays_count(&from->modules);

	if (process_grow(to, process_facts.slot, ARRAY_MODULES, count) < 0)
		return;
	copy_bytes(arrays_entries(to, &to->modules), arrays_entries(from, &from->modules),
		   count * (uint32_t)sizeof(struct segment_module));
	to->modules.count = count;
}

/* What a child was forked from, as its own memory has it. */
struct parent {
	const struct segment_process *segment;
	uint32_t slot, tenant, site_end;
};

/* A slot of its own. */
static int begin_child(struct process *state, const struct parent *parent)
{
	const struct segment_process *from = parent->segment;
	struct segment_process *segment;
	int result = process_begin(state, parent->site_end);

	if (result < 0)
		return result;
	segment = state->segment;
	segment->forked_from_slot = parent->slot;
	segment->forked_from_tenant = parent->tenant;
	copy_modules(segment, from);
	modes_adopt(segment, from);
	copy_bytes(segment->executable, from->executable, SEGMENT_PATH_MAX);
	copy_bytes(segment->command, from->command, sizeof(from->command));
	segment->command_size = from->command_size;
	return 0;
}

/* The slot of one that has ended, which has the same program, and objects that are looked
 * through when its lane is taken over. The parent's numbers are those of its own memory,
 * for its slot may have gone to somebody else, too. */
static void resume_child(struct process *state, const struct parent *parent,
			 const struct reuse_slots *slots)
{
	struct segment_process *segment = slots->segment;
	uint32_t first = segment->sites.first;

	segment->exit_code = 0;
	segment->end_ticks = segment->start_time = 0;
	segment->notes = 0;
	segment->forked_from_slot = parent->slot;
	segment->forked_from_tenant = parent->tenant;
	segment->below_peak = segment->peak_bytes = 0;
	segment->peak_generation++; /* shares of the former process's peak are none now */
	segment->first_thread = segment->threads.count;
	state->taken_lane = slots->lane;
	state->taken_lane_slot = slots->lane_slot;
	process_resume(state, segment, slots->slot,
		       parent->site_end > first ? parent->site_end - first : 0);
	modes_adopt(segment, parent->segment);
	reuse_taken(segment);
}

static int adopt(struct process *state, const struct parent *parent)
{
	struct reuse_slots slots;
	int result = 0;

	reuse_take(&slots);
	if (slots.segment)
		resume_child(state, parent, &slots);
	else
		result = begin_child(state, parent);
	if (result == 0)
		paused_publish();
	if (result == 0)
		process_publish_slot(state->slot, SEGMENT_SLOT_PROCESS, state->slot,
				     state->pid);
	return result;
}

void cold adopt_process(void)
{
	const struct process_facts *facts = &process_facts;
	struct segment_process *former = facts->segment;
	struct parent parent = {former, facts->slot, facts->tenant, facts->site_end};
	struct process *state = process;
	uint64_t mask;
	int result;

	if (!state || state->ready)
		return;
	gate_forked();
	if (!former || !facts->run->follow) {
		process = NULL;
		return;
	}
	gate_block_signals(&mask);
	state->ready = 1; /* a nested event must not adopt again */
	sites_forked();
	result = adopt(state, &parent);
	gate_restore_signals(&mask);
	if (result < 0) {
		__atomic_fetch_add(&facts->state->lost_process_count, 1,
				   __ATOMIC_RELAXED);
		process = NULL;
		return;
	}
	if (facts->notes)
		process_note(facts->notes);
	/* the parent's mapping is of no more use here; its pages stay the parent's */
	process_unmap(former, process_facts.file->slot_size);
	/* the slot of one that has ended is known to the collector, and looked at */
	if (!process->taken_lane)
		process_ring();
}
