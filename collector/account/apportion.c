/* SPDX-License-Identifier: MIT */
/* The method of the largest remainder. */
#include "collector/account/apportion.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

typedef unsigned __int128 wide;

struct remainder {
	wide left_over; /* of total * weight / sum */
	size_t index;
};

static int by_remainder(const void *a, const void *b)
{
	const struct remainder *left = a, *right = b;

	if (left->left_over != right->left_over)
		return left->left_over > right->left_over ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

void apportion(uint64_t total, const uint64_t *weights, size_t count, uint64_t *ret)
{
	struct remainder *remainders = xcalloc(count, sizeof(*remainders));
	uint64_t given = 0;
	wide sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += weights[i];
	for (size_t i = 0; i < count; i++) {
		wide part = (wide)total * weights[i];

		ret[i] = sum ? (uint64_t)(part / sum) : 0;
		remainders[i] = (struct remainder){sum ? part % sum : 0, i};
		given += ret[i];
	}
	qsort(remainders, count, sizeof(*remainders), by_remainder);
	for (size_t i = 0; sum && i < count && given < total; i++, given++)
		ret[remainders[i].index]++;
	free(remainders);
}
