/* SPDX-License-Identifier: MIT */
/* Rows of samples, lane by lane. */
#include "collector/merge/sampled/sampled.h"

#include <stdlib.h>

#include "collector/identify/identify.h"

const struct sampled_row *sampled_of_lane(const struct sampled *sampled, uint32_t lane,
					  size_t *ret_count)
{
	size_t low = 0, high = sampled->row_count, first;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sampled->rows[middle].lane < lane)
			low = middle + 1;
		else
			high = middle;
	}
	first = low;
	while (low < sampled->row_count && sampled->rows[low].lane == lane)
		low++;
	*ret_count = low - first;
	return sampled->rows + first;
}

static int by_lane(const void *key, const void *member)
{
	uint32_t lane = *(const uint32_t *)key;
	uint32_t other = ((const struct sampled_lane *)member)->lane;

	return lane < other ? -1 : lane > other;
}

const struct sampled_lane *sampled_header(const struct sampled *sampled, uint32_t lane)
{
	if (!sampled->lane_count)
		return NULL;
	return bsearch(&lane, sampled->lanes, sampled->lane_count,
		       sizeof(*sampled->lanes), by_lane);
}

static uint32_t credited(const struct sampled_row *row, const struct identify *identify,
			 const uint32_t *is_counted)
{
	const struct identify_place *places = identify->places + row->place;

	if (row->kind != SAMPLED_CODE)
		return row->function;
	for (uint32_t i = 0; i < places->chain_count; i++)
		if (is_counted[places[i].function])
			return places[i].function;
	return row->outer_function;
}

static int by_credit(const void *a, const void *b)
{
	const struct sampled_row *left = a, *right = b;

	if (left->path != right->path)
		return left->path < right->path ? -1 : 1;
	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	return left->credited_function < right->credited_function
		       ? -1
		       : left->credited_function > right->credited_function;
}

void sampled_credit(struct sampled *sampled, uint32_t lane,
		    const struct identify *identify, const uint32_t *is_counted)
{
	size_t count,
		first = (size_t)(sampled_of_lane(sampled, lane, &count) - sampled->rows);

	for (size_t i = first; i < first + count; i++)
		sampled->rows[i].credited_function =
			credited(&sampled->rows[i], identify, is_counted);
	if (count)
		qsort(sampled->rows + first, count, sizeof(*sampled->rows), by_credit);
}

void sampled_done(struct sampled *sampled)
{
	free(sampled->lanes);
	free(sampled->rows);
	*sampled = (struct sampled){.row_count = 0};
}
