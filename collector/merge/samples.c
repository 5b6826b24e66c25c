/* SPDX-License-Identifier: MIT */
/* Rows of samples, lane by lane. */
#include "collector/merge/samples.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "collector/merge/add.h"
#include "collector/merge/identify.h"
#include "common/base/array.h"

const struct sampled_row *sampled_of_lane(const struct sampled *sampled, uint32_t lane,
					  size_t *ret_count)
{
	size_t low = COUNT_BEFORE(sampled->row_count, i, sampled->rows[i].lane < lane),
	       first;

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

	return ORDER(lane, other);
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
		ARRAY_ADD(sampled->callers, sampled->caller_count) =
			(struct sampled_caller){.place = 0};
	ARRAY_ADD(sampled->callers, sampled->caller_count) =
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

void sampled_name_row(struct sampled_row *row, struct identify *identify,
		      struct module_list *modules, uint64_t key)
{
	uint32_t count, first = identify_places(identify, modules, key, &count);

	row->place = first;
	row->function = identify->places[first].function;
	row->outer_function = identify->places[first + count - 1].function;
	row->line = identify->places[first].line;
	row->file = identify->places[first].file;
}

static int by_place(const void *a, const void *b)
{
	const struct sampled_row *left = a, *right = b;

	return ORDER_BY_3(left, right, lane, path, kind)
		       ?: ORDER_BY_4(left, right, function, outer_function, file, line)
		       ?: ORDER_BY(left, right, caller);
}

void sampled_forget_callers(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->row_count; i++)
		sampled->rows[i].caller = 0;
	sampled_join(sampled, 0);
}

void sampled_join(struct sampled *sampled, size_t first)
{
	size_t kept = first;

	if (sampled->row_count - first < 2)
		return;
	qsort(sampled->rows + first, sampled->row_count - first, sizeof(*sampled->rows),
	      by_place);
	for (size_t i = first + 1; i < sampled->row_count; i++) {
		struct sampled_row *last = &sampled->rows[kept];

		if (by_place(last, &sampled->rows[i]) != 0) {
			sampled->rows[++kept] = sampled->rows[i];
			continue;
		}
		merge_add(&last->count, sampled->rows[i].count);
		merge_add(&last->cpu_ns, sampled->rows[i].cpu_ns);
	}
	sampled->row_count = kept + 1;
}
