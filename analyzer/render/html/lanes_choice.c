/* SPDX-License-Identifier: MIT */
/*
 * Which slices are shown where there is no room for all. Must not leave out one that is
 * longer than another of its lane.
 */
#include "analyzer/render/html/lanes_parts.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

int64_t lane_slice_length(const struct lane_slice *slice)
{
	int64_t length;

	if (__builtin_sub_overflow(slice->end_ns, slice->begin_ns, &length))
		return INT64_MAX;
	return length > 0 ? length : 0;
}

const char *lane_slice_name(const struct lane_slice *slice)
{
	return slice->name && *slice->name ? slice->name : "?";
}

static bool is_in_sight(const struct lanes *lanes, const struct lane_slice *slice)
{
	return slice->begin_ns <= lanes->to_ns && slice->end_ns >= lanes->from_ns;
}

static size_t count_wanted(const struct lane_choice *choice, const struct lane *lane)
{
	size_t count = 0;

	for (size_t i = 0; i < lane->count; i++)
		count += is_in_sight(choice->lanes, &lane->slices[i]) &&
			 lane->slices[i].row < choice->rows;
	return count;
}

/* Lanes that have few leave room for the others. */
struct lane_choice lane_choice_of(const struct lanes *lanes, size_t most, uint32_t rows)
{
	struct lane_choice choice = {.lanes = lanes, .quota = 1, .rows = rows};
	size_t *counts = xcalloc(lanes->count + 1, sizeof(*counts)), high = most;

	for (size_t i = 0; i < lanes->count; i++)
		counts[i] = count_wanted(&choice, &lanes->all[i]);
	while (choice.quota < high) {
		size_t quota = (choice.quota + high + 1) / 2, sum = 0;

		for (size_t i = 0; i < lanes->count; i++)
			sum += counts[i] < quota ? counts[i] : quota;
		if (sum <= most)
			choice.quota = quota;
		else
			high = quota - 1;
	}
	free(counts);
	return choice;
}

static int compare_lengths(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (b > a) - (b < a);
}

/* Slices of this length and longer are shown; ret_even: how many of just this length. */
static int64_t least_length(const struct lane_choice *choice, const struct lane *lane,
			    size_t *ret_even)
{
	int64_t *lengths = xcalloc(lane->count + 1, sizeof(*lengths)), least = -1;
	size_t count = 0;

	for (size_t i = 0; i < lane->count; i++)
		if (is_in_sight(choice->lanes, &lane->slices[i]) &&
		    lane->slices[i].row < choice->rows)
			lengths[count++] = lane_slice_length(&lane->slices[i]);
	*ret_even = SIZE_MAX;
	if (count > choice->quota) {
		qsort(lengths, count, sizeof(*lengths), compare_lengths);
		least = lengths[choice->quota - 1];
		for (*ret_even = 0; *ret_even < choice->quota &&
				    lengths[choice->quota - 1 - *ret_even] == least;)
			++*ret_even;
	}
	free(lengths);
	return least;
}

bool *lane_choice_make(struct lane_choice *choice, const struct lane *lane)
{
	bool *flags = xcalloc(lane->count + 1, sizeof(*flags));
	size_t even;
	int64_t least = least_length(choice, lane, &even);

	for (size_t i = 0; i < lane->count; i++) {
		const struct lane_slice *slice = &lane->slices[i];
		int64_t length = lane_slice_length(slice);

		if (!is_in_sight(choice->lanes, slice))
			continue;
		if (slice->row >= choice->rows) {
			choice->deep_count++;
			continue;
		}
		flags[i] = length > least || (length == least && even > 0);
		choice->short_count += !flags[i];
		if (length == least && even)
			even--;
	}
	return flags;
}
