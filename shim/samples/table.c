/* SPDX-License-Identifier: MIT */
/* Chains of entries in the lane's part of the segment, by a hash of what they are. */
#include "shim/samples/table.h"

#include "common/segment_samples.h"
#include "shim/core/process.h"
#include "shim/patch/arenas.h"

static struct extent own_code;

void table_begin(uintptr_t low, uintptr_t high)
{
	own_code = (struct extent){low, high};
}

static uint64_t address_kind(uint64_t address)
{
	if (address >= own_code.low && address < own_code.high)
		return SEGMENT_SAMPLE_HOOKS;
	if (arenas_of(address))
		return SEGMENT_SAMPLE_STUBS;
	return address < SEGMENT_SAMPLE_KINDS ? SEGMENT_SAMPLE_FOLDED : address;
}

int table_is_own(uint64_t address)
{
	return address_kind(address) < SEGMENT_SAMPLE_KINDS;
}

static uint32_t *head_of(struct lane_context *context, uint64_t address, uint32_t caller)
{
	uint64_t hash = (address ^ (uint64_t)context->current << 40) + caller;

	return &context->sample_heads[hash * 0x9e3779b97f4a7c15ull >> 52];
}

_Static_assert(LANE_SAMPLE_HEADS == 4096, "head_of() shifts by 52");

static int is_it(const struct segment_sample *entry, uint32_t node, uint64_t address,
		 uint32_t caller)
{
	return entry->address == address && entry->caller == caller &&
	       entry->node == node;
}

/* The index of the entry, made when it is not there. 0: there is no room. */
static uint32_t entry_of(struct lane_context *context, uint64_t address, uint32_t caller)
{
	struct segment_lane *lane = context->lane;
	struct segment_sample *all = arrays_entries(lane, &lane->samples);
	uint32_t *head = head_of(context, address, caller);
	uint32_t index = *head;

	while (index && !is_it(&all[index], context->current, address, caller))
		index = all[index].next;
	if (index)
		return index;
	index = lane->samples.count ? lane->samples.count : 1;
	if (process_grow(lane, context->slot, ARRAY_SAMPLES, index + 1) < 0)
		return 0;
	all[index] = (struct segment_sample){.address = address,
					     .node = context->current,
					     .next = *head,
					     .caller = caller};
	*head = index;
	arrays_publish(&lane->samples, index + 1);
	return index;
}

/* The entry of the innermost caller. */
static uint32_t callers_of(struct lane_context *context, const struct below *below)
{
	uint32_t caller = below->is_whole ? SEGMENT_SAMPLE_FRAME : 0;

	for (uint32_t i = below->count; i-- > 0;) {
		if (table_is_own(below->addresses[i]))
			continue;
		caller = entry_of(context,
				  below->addresses[i] | SEGMENT_KEY_RETURN_ADDRESS,
				  caller);
		if (!caller) /* what is farther in was not called by what is farther out
			      */
			break;
	}
	return caller;
}

void table_add(struct lane_context *context, uint64_t address, const struct below *below,
	       uint32_t count, uint64_t weight_ns)
{
	uint64_t kind = address_kind(address);
	uint32_t caller = kind == address ? callers_of(context, below) : 0;
	uint32_t index = entry_of(context, kind, caller);
	struct segment_sample *entry;

	context->lane->sample_count += count;
	if (kind == SEGMENT_SAMPLE_HOOKS)
		context->samples.hook_count += count;
	context->lane->sampled_ns += weight_ns;
	if (!index)
		index = entry_of(context, SEGMENT_SAMPLE_FOLDED, 0);
	if (!index) {
		context->lane->lost_sample_ns += weight_ns;
		return;
	}
	entry = (struct segment_sample *)arrays_entries(context->lane,
							&context->lane->samples) +
		index;
	entry->count += count;
	entry->weight_ns += weight_ns;
}
