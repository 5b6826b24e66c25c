/* SPDX-License-Identifier: MIT */
/* Three sorted lists, each the sums of the one before. Must not walk along them. */
#include "collector/account/weights.h"

#include <stdlib.h>

#include "common/quantities.h"
#include "common/base/xalloc.h"

static int by_group(const struct weight *left, const struct weight *right)
{
	return ORDER_BY_3(left, right, function, process, lane);
}

static int by_path(const void *a, const void *b)
{
	const struct weight *left = a, *right = b;

	return by_group(left, right) ?: ORDER_BY(left, right, path);
}

static int by_calls(const void *a, const void *b)
{
	const struct weight *left = a, *right = b;

	return ORDER_BY_2(right, left, calls, passed_calls)
		       ?: ORDER_BY(left, right, path);
}

/* Without what the scope does not tell apart. */
static struct weight scoped(const struct weight *weight, enum weights_scope scope)
{
	struct weight ret = *weight;

	if (scope >= WEIGHTS_PROCESS)
		ret.lane = 0;
	if (scope >= WEIGHTS_RUN)
		ret.process = 0;
	return ret;
}

void weights_add(struct weights *weights, const struct weight *weight)
{
	struct weight_list *lanes = &weights->lists[WEIGHTS_LANE];

	POOL_ADD(weights->pool, lanes->all, lanes->count) = *weight;
}

static void add_weight(struct weight *to, const struct weight *more)
{
	count_add(&to->calls, more->calls);
	count_add(&to->passed_calls, more->passed_calls);
}

/* Makes one of the neighbours that are equal but for their calls. */
static void add_equal(struct weight_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (kept && by_path(&list->all[kept - 1], &list->all[i]) == 0)
			add_weight(&list->all[kept - 1], &list->all[i]);
		else
			list->all[kept++] = list->all[i];
	}
	list->count = kept;
}

/* Leaves the most frequent paths of each group. */
static void cut_groups(struct weight_list *list)
{
	size_t kept = 0, end;

	for (size_t i = 0; i < list->count; i = end) {
		for (end = i + 1;
		     end < list->count && by_group(&list->all[i], &list->all[end]) == 0;)
			end++;
		if (end - i > WEIGHTS_MOST)
			qsort(&list->all[i], end - i, sizeof(*list->all), by_calls);
		for (size_t at = i; at < end && at - i < WEIGHTS_MOST; at++)
			list->all[kept++] = list->all[at];
	}
	list->count = kept;
}

void weights_finish(struct weights *weights)
{
	const struct weight_list *lanes = &weights->lists[WEIGHTS_LANE];

	for (enum weights_scope scope = 0; scope < WEIGHTS_SCOPES; scope++) {
		struct weight_list *list = &weights->lists[scope];

		for (size_t i = 0; scope && i < lanes->count; i++)
			POOL_ADD(weights->pool, list->all, list->count) =
				scoped(&lanes->all[i], scope);
		if (list->count)
			qsort(list->all, list->count, sizeof(*list->all), by_path);
		if (!scope)
			continue;
		add_equal(list);
		cut_groups(list);
	}
}

const struct weight *weights_find(const struct weights *weights, enum weights_scope scope,
				  const struct weight *key, size_t *ret_count)
{
	const struct weight_list *list = &weights->lists[scope];
	struct weight group = scoped(key, scope);
	size_t low = COUNT_BEFORE(list->count, i, by_group(&list->all[i], &group) < 0),
	       end;

	for (end = low; end < list->count && by_group(&list->all[end], &group) == 0;)
		end++;
	*ret_count = end - low;
	return end > low ? &list->all[low] : NULL;
}

/* The method of the largest remainder. */
typedef unsigned __int128 wide;

struct remainder {
	wide left_over; /* of total * weight / sum */
	size_t index;
};

static int by_remainder(const void *a, const void *b)
{
	const struct remainder *left = a, *right = b;

	return ORDER_BY(right, left, left_over) ?: ORDER_BY(left, right, index);
}

void weights_apportion(uint64_t total, const uint64_t *shares, size_t count,
		       uint64_t *ret)
{
	auto_free struct remainder *remainders = xcalloc(count, sizeof(*remainders));
	uint64_t given = 0;
	wide sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += shares[i];
	for (size_t i = 0; i < count; i++) {
		wide part = (wide)total * shares[i];

		ret[i] = sum ? (uint64_t)(part / sum) : 0;
		remainders[i] = (struct remainder){sum ? part % sum : 0, i};
		given += ret[i];
	}
	qsort(remainders, count, sizeof(*remainders), by_remainder);
	for (size_t i = 0; sum && i < count && given < total; i++, given++)
		ret[remainders[i].index]++;
}
