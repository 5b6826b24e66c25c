/* SPDX-License-Identifier: MIT */
/* A lane's samples, and the functions that their addresses are in. */
#include "collector/merge/sampled/add.h"

#include <stdlib.h>

#include "collector/merge/sampled/join.h"
#include "common/base/array.h"
#include "common/base/xalloc.h"

static enum sampled_kind kind_of(uint64_t address)
{
	switch (address) {
	case SEGMENT_SAMPLE_HOOKS:
		return SAMPLED_HOOKS;
	case SEGMENT_SAMPLE_STUBS:
		return SAMPLED_STUBS;
	case SEGMENT_SAMPLE_FOLDED:
		return SAMPLED_FOLDED;
	default:
		return SAMPLED_CODE;
	}
}

static int is_caller(const struct segment_sample *sample)
{
	return (sample->address & SEGMENT_KEY_RETURN_ADDRESS) != 0;
}

/* What is known of a return address is known of the instruction before it: so an
 * instruction is looked for by the address behind its first byte. */
static uint64_t key_of(const struct segment_sample *sample)
{
	return is_caller(sample) ? sample->address
				 : (sample->address + 1) | SEGMENT_KEY_RETURN_ADDRESS;
}

static void wish_names(struct lane_walk *walk)
{
	for (uint32_t i = 1; i < walk->data.sample_count; i++)
		if (kind_of(walk->data.samples[i].address) == SAMPLED_CODE)
			identify_wish(&walk->merge->identify, walk->modules,
				      key_of(&walk->data.samples[i]));
}

/* The caller in sampled->callers of an entry; entries: of those before it, likewise. */
static uint32_t caller_of(struct lane_walk *walk, const struct segment_sample *from,
			  const uint32_t *entries)
{
	size_t index = (size_t)(from - walk->data.samples);

	if (from->caller == SEGMENT_SAMPLE_FRAME)
		return SAMPLED_FRAME;
	if (from->caller < index && (!from->caller || entries[from->caller]))
		return from->caller ? entries[from->caller] : 0;
	walk->merge->damaged_count++;
	return 0;
}

static void add_row(struct sampled *sampled, struct lane_walk *walk,
		    const struct segment_sample *from, uint32_t caller)
{
	struct sampled_row row = {.lane = walk->lane,
				  .kind = kind_of(from->address),
				  .function = IDENTIFY_NONE,
				  .outer_function = IDENTIFY_NONE,
				  .caller = caller,
				  .count = from->count,
				  .cpu_ns = from->weight_ns};

	if (from->node < walk->data.node_count && walk->nodes[from->node].is_placed)
		row.path = walk->nodes[from->node].path;
	else if (!place_is_cut(walk, from->node) && from->node > LANE_ROOT)
		walk->merge->damaged_count++;
	if (row.kind == SAMPLED_CODE)
		sampled_name_row(&row, &walk->merge->identify, walk->modules,
				 key_of(from));
	sampled->rows =
		array_room(sampled->rows, sampled->row_count, sizeof(*sampled->rows));
	sampled->rows[sampled->row_count++] = row;
	if (row.kind == SAMPLED_HOOKS || row.kind == SAMPLED_STUBS)
		merge_add(&sampled->hook_ns, row.cpu_ns);
}

static void add_entries(struct sampled *sampled, struct lane_walk *walk)
{
	struct identify *identify = &walk->merge->identify;
	uint32_t *entries = xcalloc(walk->data.sample_count, sizeof(*entries)), count;

	for (uint32_t i = 1; i < walk->data.sample_count; i++) {
		const struct segment_sample *from = &walk->data.samples[i];
		uint32_t caller = caller_of(walk, from, entries);

		if (is_caller(from))
			entries[i] =
				sampled_caller(sampled,
					       identify_places(identify, walk->modules,
							       key_of(from), &count),
					       caller);
		else
			add_row(sampled, walk, from, caller);
	}
	free(entries);
}

static void add_header(struct sampled *sampled, const struct segment_lane *header)
{
	uint32_t period_us = header->sample_period_us;

	merge_add(&sampled->count, header->sample_count);
	merge_add(&sampled->cpu_ns, header->sampled_ns);
	merge_add(&sampled->kernel_ns, header->kernel_ns);
	merge_add(&sampled->lost_ns, header->lost_sample_ns);
	merge_add(&sampled->timer_count, header->timer_sample_count);
	merge_add(&sampled->ring_count, header->ring_count);
	merge_add(&sampled->refused_count, header->ring_refused_count);
	merge_add(&sampled->declined_count, header->ring_declined_count);
	if (header->ring_refused_count)
		sampled->ring_error = header->ring_error;
	if (!header->ring_count)
		return;
	if (period_us > sampled->longest_period_us)
		sampled->longest_period_us = period_us;
	if (!sampled->shortest_period_us || period_us < sampled->shortest_period_us)
		sampled->shortest_period_us = period_us;
}

void sampled_add_lane(struct sampled *sampled, struct lane_walk *walk)
{
	size_t first = sampled->row_count;

	if (walk->data.sample_count > 1) {
		sampled->lanes = array_room(sampled->lanes, sampled->lane_count,
					    sizeof(*sampled->lanes));
		sampled->lanes[sampled->lane_count++] =
			(struct sampled_lane){walk->lane, walk->data.header.sampled_ns,
					      walk->data.header.kernel_ns};
	}
	add_header(sampled, &walk->data.header);
	wish_names(walk);
	if (walk->data.sample_count > 1)
		add_entries(sampled, walk);
	sampled_join(sampled, first);
}
