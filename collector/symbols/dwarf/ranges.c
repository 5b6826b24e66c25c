/* SPDX-License-Identifier: MIT */
/* A sorted array of address ranges. Must not know what the items are. */
#include "collector/symbols/dwarf/ranges.h"

#include <errno.h>
#include <stdlib.h>

/* Ranges may overlap a little (functions folded by the linker); this many are looked
 * through. */
#define LOOK_BACK 16

int ranges_add(struct ranges *ranges, uint64_t low, uint64_t high, uint32_t item,
	       struct budget *budget)
{
	size_t capacity = ranges->capacity ? ranges->capacity * 2 : 64;
	struct range *larger;

	if (ranges->count == ranges->capacity) {
		if (!budget_take_memory(budget, capacity * sizeof(*larger)))
			return -ENOMEM;
		larger = reallocarray(ranges->entries, capacity, sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		ranges->entries = larger;
		ranges->capacity = capacity;
	}
	ranges->entries[ranges->count++] = (struct range){low, high, item};
	return 0;
}

/* Of ranges that start together the longest comes first. */
static int compare_ranges(const void *a_range, const void *b_range)
{
	const struct range *a = a_range, *b = b_range;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

void ranges_sort(struct ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->entries, ranges->count, sizeof(*ranges->entries),
		      compare_ranges);
}

const struct range *ranges_find(const struct ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->count, middle, steps;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (ranges->entries[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (steps = 0; low-- > 0 && steps < LOOK_BACK; steps++)
		if (address < ranges->entries[low].high)
			return &ranges->entries[low];
	return NULL;
}

void ranges_done(struct ranges *ranges)
{
	free(ranges->entries);
	*ranges = (struct ranges){NULL, 0, 0};
}
