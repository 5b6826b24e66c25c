/* SPDX-License-Identifier: MIT */
/* Rows of samples, lane by lane. */
#include "collector/merge/sampled/sampled.h"

#include <stdlib.h>

#include "common/base/array.h"

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

uint32_t sampled_caller(struct sampled *sampled, uint32_t place, uint32_t caller)
{
	bool is_new;
	uint32_t number = 1 + map_number(&sampled->caller_map, place, caller, 0, &is_new);

	if (!is_new)
		return number;
	if (!sampled->caller_count) /* index 0 is nobody */
		sampled->callers = array_room(NULL, sampled->caller_count++,
					      sizeof(*sampled->callers));
	sampled->callers = array_room(sampled->callers, sampled->caller_count,
				      sizeof(*sampled->callers));
	sampled->callers[sampled->caller_count++] =
		(struct sampled_caller){.place = place, .caller = caller};
	return number;
}

void sampled_done(struct sampled *sampled)
{
	free(sampled->lanes);
	free(sampled->rows);
	free(sampled->callers);
	map_done(&sampled->caller_map);
	*sampled = (struct sampled){.row_count = 0};
}
