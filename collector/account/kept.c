/* SPDX-License-Identifier: MIT */
/* Lanes on one side. Must not keep more of a cell than the lane had filled in. */
#include "collector/account/kept.h"

#include <stdlib.h>
#include <string.h>

#include "collector/account/account.h"
#include "common/base/xalloc.h"

static void add_counts(struct kept *kept, struct merge *merge, uint32_t process,
		       const struct lane_counts *counts)
{
	for (uint32_t number = 1; number < counts->count_count; number++) {
		uint64_t calls = counts->counts[number].call_count;
		struct merge_mode *mode = modes_find(merge, process, number);

		if (!calls)
			continue;
		if (!mode || mode->function == MERGE_NO_FUNCTION) {
			count_add(&merge->damaged_count, 1);
			continue;
		}
		count_add(&merge->modes[mode->own].counted_calls, calls);
		count_add(&merge->counted_call_count, calls);
		POOL_ADD(kept->pool, kept->counts, kept->count_count) =
			(struct kept_count){.mode = (uint32_t)(mode - merge->modes),
					    .calls = calls};
	}
}

static void add_cell(struct kept *kept, uint32_t path, const struct merge_cell *cell)
{
	struct kept_cell *to;

	to = &POOL_ADD(kept->pool, kept->cells, kept->cell_count);
	to->path = path;
	to->total_ticks = cell->total_ticks;
	to->nested_calls = cell->nested_calls;
	to->passed_ticks = cell->passed_ticks;
	to->passed_calls = cell->passed_calls;
	memcpy(to->quantities, cell->quantities, sizeof(to->quantities));
}

void kept_add(struct kept *kept, struct merge *merge, uint32_t lane,
	      const struct lane_counts *counts)
{
	struct kept_lane row = {.lane = lane, .process = merge->run->lanes[lane].process};

	row.stack_ns = counts->stack_ns;
	row.cells.first = kept->cell_count;
	for (size_t i = 0; i < merge->touched_count; i++)
		add_cell(kept, merge->touched[i], &merge->cells[merge->touched[i]]);
	account_clear(merge);
	row.cells.end = kept->cell_count;
	row.counts.first = kept->count_count;
	add_counts(kept, merge, row.process, counts);
	row.counts.end = kept->count_count;
	row.variants.first = kept->variant_count;
	for (uint32_t i = 0; i < counts->variants.count; i++)
		POOL_ADD(kept->pool, kept->variants, kept->variant_count) =
			counts->variants.all[i];
	row.variants.end = kept->variant_count;
	POOL_ADD(kept->pool, kept->lanes, kept->lane_count) = row;
}

static int by_process(const void *a, const void *b)
{
	const struct kept_lane *left = a, *right = b;

	return ORDER_BY_2(left, right, process, lane);
}

void kept_order(struct kept *kept)
{
	if (kept->lane_count)
		qsort(kept->lanes, kept->lane_count, sizeof(*kept->lanes), by_process);
}

void kept_restore(const struct kept *kept, const struct kept_lane *lane,
		  struct merge *merge)
{
	for (size_t i = lane->cells.first; i < lane->cells.end; i++) {
		const struct kept_cell *from = &kept->cells[i];
		struct merge_cell *cell = merge_touch(merge, from->path);

		cell->total_ticks = from->total_ticks;
		cell->nested_calls = from->nested_calls;
		cell->passed_ticks = from->passed_ticks;
		cell->passed_calls = from->passed_calls;
		memcpy(cell->quantities, from->quantities, sizeof(cell->quantities));
	}
	for (size_t i = lane->calls.first; i < lane->calls.end; i++) {
		const struct kept_calls *from = &kept->calls[i];
		struct merge_cell *cell = merge_touch(merge, from->path);
		int64_t room = INT64_MAX - cell->calls;
		int64_t calls = quantity_of_count(from->calls);

		if (from->is_nested)
			continue;
		if (calls > room)
			calls = room;
		cell->calls += calls;
		cell->counted_calls += calls;
	}
}
