/* SPDX-License-Identifier: MIT */
/* Adds what the libc calls of a lane moved. Must not follow an index before it was
 * compared with its count. */
#include "collector/merge/place.h"

#include "common/libc/calls.h"

/* The number of a target, made if needed; 0 for kind 0. */
static uint32_t target_number(struct merge *merge, uint32_t kind, const char *name)
{
	struct transfers *transfers = &merge->transfers;
	uint32_t text, number;
	bool is_new;

	if (!transfers->target_count)
		POOL_ADD(&merge->pool, transfers->targets, transfers->target_count) =
			(struct transfers_target){SEGMENT_TARGET_UNKNOWN, "[not known]"};
	if (!kind)
		return 0;
	text = intern_text(&merge->names, name, NULL);
	number = map_number(&merge->target_map, text, kind, 0, &is_new);
	if (is_new)
		POOL_ADD(&merge->pool, transfers->targets, transfers->target_count) =
			(struct transfers_target){kind, intern_name(&merge->names, text)};
	return number + 1;
}

static struct transfers_row *row_at(struct merge *merge, uint32_t process, uint32_t path,
				    uint32_t target, uint32_t is_source)
{
	struct transfers *transfers = &merge->transfers;
	uint64_t both = (uint64_t)target << 1 | (is_source != 0);
	bool is_new;
	uint32_t number = map_number(&merge->transfer_map, process, path, both, &is_new);

	if (is_new)
		POOL_ADD(&merge->pool, transfers->rows, transfers->row_count) =
			(struct transfers_row){.process = process,
					       .path = path,
					       .target = target,
					       .is_source = is_source != 0};
	return &transfers->rows[number];
}

static uint32_t target_of(struct lane_walk *walk, uint32_t number)
{
	const struct read_process *process =
		&walk->merge->run->processes[walk->process_index];
	const struct segment_target *target = &process->targets[number];

	if (number &&
	    (number >= process->target_count || target->kind >= SEGMENT_TARGET_KINDS)) {
		walk->merge->damaged_count++;
		number = 0;
	}
	return number ? target_number(walk->merge, target->kind, target->name)
		      : target_number(walk->merge, SEGMENT_TARGET_UNKNOWN, "");
}

static int64_t transfer_ns(const struct merge *merge, const struct segment_transfer *from)
{
	double ns = (double)ticks_duration_ns(merge->ticks, (double)from->ticks) -
		    merge->cost.inner_ns * (double)from->call_count;

	return ns > 0 ? (int64_t)ns : 0;
}

/* Notes reads and writes, for comparison with the kernel's own count. */
static void see_transfer(struct lane_walk *walk, const struct segment_transfer *from)
{
	enum libc_call_kind kind = identify_libc_kind(walk->data.nodes[from->node].key);
	struct transfers *transfers = &walk->merge->transfers;
	int copies_to = kind == LIBC_CALL_COPY && !from->is_source;
	int copies_from = kind == LIBC_CALL_COPY && from->is_source;

	while (transfers->seen_count <= walk->process_index)
		POOL_ADD(&walk->merge->pool, transfers->seen, transfers->seen_count) =
			(struct transfers_seen){0, 0};
	if (kind == LIBC_CALL_READ || copies_from)
		count_add(&transfers->seen[walk->process_index].read_bytes, from->bytes);
	if (kind == LIBC_CALL_WRITE || copies_to)
		count_add(&transfers->seen[walk->process_index].write_bytes, from->bytes);
}

static void add_transfer(struct lane_walk *walk, const struct segment_transfer *from)
{
	struct merge *merge = walk->merge;
	struct transfers_row *row;

	if (place_is_cut(walk, from->node)) {
		count_add(&merge->transfers.lost_count, from->call_count);
		count_add(&merge->transfers.lost_bytes, from->bytes);
		return;
	}
	if (!place_path(walk, from->node)) {
		merge->damaged_count++;
		return;
	}
	row = row_at(merge, walk->process_index, walk->nodes[from->node].path,
		     target_of(walk, from->target), from->is_source);
	count_add(&row->call_count, from->call_count);
	count_add(&row->bytes, from->bytes);
	count_add(&row->small_count, from->small_count);
	count_add(&row->sequential_count, from->sequential_count);
	count_add(&row->failed_count, from->failed_count);
	quantity_add(&row->total_ns, from->is_source ? 0 : transfer_ns(merge, from));
	count_raise(&row->largest_bytes, from->largest_bytes);
	see_transfer(walk, from);
}

void transfers_add_lane(struct lane_walk *walk)
{
	struct transfers *transfers = &walk->merge->transfers;

	count_add(&transfers->lost_count, walk->data.header.lost_transfer_count);
	count_add(&transfers->lost_bytes, walk->data.header.lost_transfer_bytes);
	for (uint32_t i = 1; i < walk->data.transfer_count; i++)
		add_transfer(walk, &walk->data.transfers[i]);
}
