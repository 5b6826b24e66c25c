/* SPDX-License-Identifier: MIT */
/* A sorted array of address ranges. Must not know what the items are. */
#include "collector/symbols/dwarf/ranges.h"

#include <stdlib.h>

#include "common/base/array.h"

/* Ranges may overlap a little (functions folded by the linker); this many are looked
 * through. */
#define LOOK_BACK 16

void ranges_add(struct ranges *ranges, uint64_t low, uint64_t high, uint32_t item)
{
	ranges->entries =
		array_room(ranges->entries, ranges->count, sizeof(*ranges->entries));
	ranges->entries[ranges->count++] = (struct range){low, high, item};
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
