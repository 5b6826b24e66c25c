/* SPDX-License-Identifier: MIT */
/* Chains of entries in the lane's part of the segment, by a hash of node and address. */
#include "shim/samples/table.h"

#include "common/segment_samples.h"
#include "shim/core/process.h"
#include "shim/patch/stubs/arenas.h"

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

static uint32_t *head_of(struct lane_context *context, uint64_t address)
{
	uint64_t hash =
		(address ^ (uint64_t)context->current << 40) * 0x9e3779b97f4a7c15ull;

	return &context->sample_heads[hash >> 54];
}

_Static_assert(LANE_SAMPLE_HEADS == 1024, "head_of() shifts by 54");

/* NULL: it is not there. */
static struct segment_sample *find(struct segment_sample *all, uint32_t index,
				   uint32_t node, uint64_t address)
{
	while (index && (all[index].node != node || all[index].address != address))
		index = all[index].next;
	return index ? &all[index] : NULL;
}

/* The entry, made when it is not there. NULL: there is no room. */
static struct segment_sample *entry_of(struct lane_context *context, uint64_t address)
{
	struct segment_lane *lane = context->lane;
	struct segment_sample *all = arrays_entries(lane, &lane->samples), *entry;
	uint32_t *head = head_of(context, address);
	uint32_t index = lane->samples.count ? lane->samples.count : 1;

	entry = find(all, *head, context->current, address);
	if (entry)
		return entry;
	if (process_grow(lane, context->slot, ARRAY_SAMPLES, index + 1) < 0)
		return NULL;
	all[index] = (struct segment_sample){
		.address = address, .node = context->current, .next = *head};
	*head = index;
	arrays_publish(&lane->samples, index + 1);
	return &all[index];
}

void table_add(struct lane_context *context, uint64_t address, uint32_t count,
	       uint64_t weight_ns)
{
	uint64_t kind = address_kind(address);
	struct segment_sample *entry = entry_of(context, kind);

	context->lane->sample_count += count;
	if (kind == SEGMENT_SAMPLE_HOOKS)
		context->samples.hook_count += count;
	context->lane->sampled_ns += weight_ns;
	if (!entry)
		entry = entry_of(context, SEGMENT_SAMPLE_FOLDED);
	if (!entry) {
		context->lane->lost_sample_ns += weight_ns;
		return;
	}
	entry->count += count;
	entry->weight_ns += weight_ns;
}
