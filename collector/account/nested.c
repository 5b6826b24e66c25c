/* SPDX-License-Identifier: MIT */
/* Which variants call others, and how many entries that makes in each lane. */
#include "collector/account/nested.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

/* Sums of a function in the lane that is looked at. */
struct sums {
	uint64_t entries; /* only counted */
	uint64_t callers; /* all entries of variants that call another */
	uint64_t nested;  /* entries with frames that are no calls */
};

struct search {
	const struct merge *merge;
	uint8_t *callers; /* by function: a bit for each variant that calls another */
	struct sums *sums;
};

static uint8_t bit(enum demangle_variant variant)
{
	return (uint8_t)(1u << variant);
}

static int has_variants(const struct search *search, uint32_t function)
{
	return search->merge->identify.functions[function].variant != DEMANGLE_ONLY;
}

/* What is inlined into another variant of itself, or called by it, is for the same
 * object. */
static int is_inside(const struct merge_mode *mode)
{
	return (mode->host == mode->function || mode->caller == mode->function) &&
	       mode->host_variant != DEMANGLE_ONLY && mode->host_variant < mode->variant;
}

static int is_caller(const struct search *search, uint32_t function,
		     enum demangle_variant variant)
{
	return (search->callers[function] & bit(variant)) != 0;
}

static void find_callers(struct search *search, const struct kept *kept)
{
	for (size_t i = 0; i < kept->variant_count; i++) {
		const struct variant_count *count = &kept->variants[i];

		if (count->caller_count)
			search->callers[count->function] |= bit(count->variant);
	}
	for (size_t i = 0; i < kept->count_count; i++) {
		const struct merge_mode *mode =
			&search->merge->modes[kept->counts[i].mode];

		if (is_inside(mode))
			search->callers[mode->function] |= bit(mode->host_variant);
	}
}

static void add_up(struct search *search, const struct kept *kept,
		   const struct kept_lane *lane)
{
	for (size_t i = lane->counts.first; i < lane->counts.end; i++) {
		const struct kept_count *count = &kept->counts[i];
		const struct merge_mode *mode = &search->merge->modes[count->mode];
		struct sums *sums = &search->sums[mode->function];

		merge_add(&sums->entries, count->calls);
		if (is_caller(search, mode->function, mode->variant))
			merge_add(&sums->callers, count->calls);
	}
	for (size_t i = lane->variants.first; i < lane->variants.end; i++) {
		const struct variant_count *count = &kept->variants[i];
		struct sums *sums = &search->sums[count->function];

		merge_add(&sums->nested, count->nested_count);
		if (is_caller(search, count->function, count->variant))
			merge_add(&sums->callers, count->entry_count);
	}
}

static void forget(struct search *search, const struct kept *kept,
		   const struct kept_lane *lane)
{
	for (size_t i = lane->counts.first; i < lane->counts.end; i++)
		search->sums[search->merge->modes[kept->counts[i].mode].function] =
			(struct sums){.entries = 0};
	for (size_t i = lane->variants.first; i < lane->variants.end; i++)
		search->sums[kept->variants[i].function] = (struct sums){.entries = 0};
}

/* From which counts the entries are taken first. */
enum turn { INSIDE, CALLERS, OTHERS, TURNS };

static int has_turn(const struct search *search, const struct merge_mode *mode,
		    enum turn turn)
{
	switch (turn) {
	case INSIDE:
		return is_inside(mode);
	case CALLERS:
		return is_caller(search, mode->function, mode->variant);
	default:
		return 1;
	}
}

/* How many of the function's counted entries are no calls. */
static uint64_t left_of(const struct sums *sums)
{
	uint64_t nested = sums->callers > sums->nested ? sums->callers - sums->nested : 0;

	return nested < sums->entries ? nested : sums->entries;
}

static void take(struct search *search, struct kept *kept, const struct kept_lane *lane,
		 enum turn turn)
{
	for (size_t i = lane->counts.first; i < lane->counts.end; i++) {
		struct kept_count *count = &kept->counts[i];
		const struct merge_mode *mode = &search->merge->modes[count->mode];
		struct sums *sums = &search->sums[mode->function];
		uint64_t nested = left_of(sums);

		if (!has_variants(search, mode->function) ||
		    !has_turn(search, mode, turn))
			continue;
		if (nested > count->calls)
			nested = count->calls;
		count->calls -= nested;
		count->nested_calls += nested;
		merge_add(&sums->nested, nested);
	}
}

static void book(struct merge *merge, const struct kept_count *count)
{
	struct merge_mode *own = &merge->modes[merge->modes[count->mode].own];

	merge_add(&merge->nested_counted_count, count->nested_calls);
	own->counted_calls -= count->nested_calls < own->counted_calls
				      ? count->nested_calls
				      : own->counted_calls;
}

void nested_find(struct kept *kept, struct merge *merge)
{
	size_t functions = merge->identify.function_count;
	struct search search = {.merge = merge};

	search.callers = xcalloc(functions, sizeof(*search.callers));
	search.sums = xcalloc(functions, sizeof(*search.sums));
	find_callers(&search, kept);
	for (size_t i = 0; i < kept->lane_count; i++) {
		const struct kept_lane *lane = &kept->lanes[i];

		add_up(&search, kept, lane);
		for (enum turn turn = INSIDE; turn < TURNS; turn++)
			take(&search, kept, lane, turn);
		forget(&search, kept, lane);
	}
	for (size_t i = 0; i < kept->count_count; i++)
		book(merge, &kept->counts[i]);
	free(search.callers);
	free(search.sums);
}
