/* SPDX-License-Identifier: MIT */
/* Slices into rows. Must not trap on damaged numbers. */
#include "analyzer/document/lanes.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct lane *lanes_lane(struct lanes *lanes, const char *label)
{
	if (lanes->count && strcmp(lanes->all[lanes->count - 1].label, label) == 0)
		return &lanes->all[lanes->count - 1];
	lanes->all =
		xgrow(lanes->all, lanes->count, &lanes->capacity, sizeof(*lanes->all));
	lanes->all[lanes->count] = (struct lane){.label = label};
	return &lanes->all[lanes->count++];
}

void lanes_add(struct lane *lane, const struct lane_slice *slice)
{
	lane->slices =
		xgrow(lane->slices, lane->count, &lane->capacity, sizeof(*lane->slices));
	lane->slices[lane->count++] = *slice;
}

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare(const void *left, const void *right)
{
	const struct lane_slice *a = left, *b = right;
	int result = order(a->begin_ns, b->begin_ns);

	return result ? result : order(b->end_ns, a->end_ns);
}

void lanes_settle(struct lane *lane)
{
	int64_t *ends = xcalloc(lane->count + 1, sizeof(*ends)); /* of what is open */
	uint32_t open = 0;

	if (lane->count)
		qsort(lane->slices, lane->count, sizeof(*lane->slices), compare);
	for (size_t i = 0; i < lane->count; i++) {
		struct lane_slice *slice = &lane->slices[i];

		while (open && ends[open - 1] <= slice->begin_ns)
			open--;
		slice->row = open;
		ends[open++] = slice->end_ns;
		if (open > lane->row_count)
			lane->row_count = open;
	}
	free(ends);
}

void lanes_free(struct lanes *lanes)
{
	if (!lanes)
		return;
	for (size_t i = 0; i < lanes->count; i++)
		free(lanes->all[i].slices);
	free(lanes->all);
	free(lanes);
}
