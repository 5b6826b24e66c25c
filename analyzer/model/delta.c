/* SPDX-License-Identifier: MIT */
/* Changes between two moments. Must not allocate. */
#include "analyzer/model/delta.h"

int64_t delta_plus(int64_t a, int64_t b)
{
	int64_t sum;

	__builtin_add_overflow(a, b, &sum);
	return sum;
}

int64_t delta_minus(int64_t a, int64_t b)
{
	int64_t difference;

	__builtin_sub_overflow(a, b, &difference);
	return difference;
}

static void add(int64_t *sum, int64_t value)
{
	*sum = delta_plus(*sum, value);
}

void delta_add(struct delta_entry *sum, const struct delta_entry *part)
{
	quantities_add(QUANTITY_OF_HELD, sum->a.quantities, QUANTITY_OF_HELD,
		       part->a.quantities, 1);
	quantities_add(QUANTITY_OF_HELD, sum->b.quantities, QUANTITY_OF_HELD,
		       part->b.quantities, 1);
	add(&sum->old_freed_count, part->old_freed_count);
	add(&sum->old_freed_bytes, part->old_freed_bytes);
	add(&sum->young_freed_count, part->young_freed_count);
	add(&sum->young_freed_bytes, part->young_freed_bytes);
}

struct delta_result delta_of(const struct delta_entry *entry)
{
	const struct delta_state *a = &entry->a, *b = &entry->b;
	struct delta_result result = {
		.live_delta_count = delta_minus(b->live_count, a->live_count),
		.live_delta_bytes = delta_minus(b->live_bytes, a->live_bytes),
		.alloc_count = delta_minus(b->alloc_count, a->alloc_count),
		.alloc_bytes = delta_minus(b->alloc_bytes, a->alloc_bytes),
	};

	result.free_count = delta_minus(result.alloc_count, result.live_delta_count);
	result.free_bytes = delta_minus(result.alloc_bytes, result.live_delta_bytes);
	result.survived_count =
		delta_minus(delta_plus(result.live_delta_count, entry->old_freed_count),
			    entry->young_freed_count);
	result.survived_bytes =
		delta_minus(delta_plus(result.live_delta_bytes, entry->old_freed_bytes),
			    entry->young_freed_bytes);
	return result;
}

int delta_is_odd(const struct delta_result *result)
{
	return result->alloc_count < 0 || result->alloc_bytes < 0 ||
	       result->free_count < 0 || result->free_bytes < 0 ||
	       result->survived_count < 0 || result->survived_bytes < 0 ||
	       result->survived_count > result->alloc_count ||
	       result->survived_bytes > result->alloc_bytes;
}

static uint64_t size_of(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static int larger_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

int delta_compare(const struct delta_result *a, const struct delta_result *b)
{
	int order =
		larger_first(size_of(a->live_delta_bytes), size_of(b->live_delta_bytes));

	if (order == 0)
		order = larger_first(size_of(a->live_delta_count),
				     size_of(b->live_delta_count));
	if (order == 0)
		order = larger_first(size_of(a->alloc_bytes), size_of(b->alloc_bytes));
	return order;
}
