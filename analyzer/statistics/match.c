/* SPDX-License-Identifier: MIT */
/*
 * Finds partners for subjects of one side only. A name of several functions on a side
 * matches none: a wrong partner is worse than one function shown as gone and another as
 * new.
 */
#include "analyzer/statistics/match.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define LINES_APART 20
#define SEVERAL (COMPARE_NONE - 1)

void match_merge(struct comparison *comparison, uint32_t before, uint32_t after)
{
	struct compare_function *from = &comparison->functions[after];
	struct compare_function *to = &comparison->functions[before];

	compare_move_values(&comparison->function_values, after, before);
	to->name = from->name;
	to->full_name = from->full_name;
	to->linkage_name = from->linkage_name;
	to->module = from->module;
	to->file = from->file;
	to->line_after = from->line_after;
	to->presence |= from->presence;
	to->hooked |= from->hooked;
	to->estimated |= from->estimated;
	to->holder |= from->holder;
	to->is_library |= from->is_library;
	from->presence = 0;
	from->merged_into = before;
}

/* Whether it has a name that another build may have, not an address. */
static bool has_name(const struct compare_function *function)
{
	return function->linkage_name || strncmp(function->name, "0x", 2) != 0;
}

void match_functions(struct comparison *comparison)
{
	size_t count = comparison->function_values.count;
	/* The only function of each name on each side. */
	uint32_t(*numbers)[2] = xreallocarray(NULL, count + 1, sizeof(*numbers));
	struct intern names = {0};

	for (uint32_t i = 0; i < count; i++) {
		const struct compare_function *function = &comparison->functions[i];
		bool is_new, is_after = function->presence == COMPARE_AFTER;
		uint32_t *number;

		if (function->presence == COMPARE_BOTH || !has_name(function))
			continue;
		number = numbers[intern_text(&names, function->full_name, &is_new)];
		if (is_new)
			number[0] = number[1] = COMPARE_NONE;
		number[is_after] = number[is_after] == COMPARE_NONE ? i : SEVERAL;
	}
	for (size_t i = 0; i < names.count; i++)
		if (numbers[i][0] < SEVERAL && numbers[i][1] < SEVERAL)
			match_merge(comparison, numbers[i][0], numbers[i][1]);
	intern_free(&names);
	free(numbers);
}

/* A site without a partner; file: a number of its text. */
struct left_over {
	uint32_t path, owner, file, number;
	int64_t offset;
	bool is_after;
};

static int by_place(const void *left, const void *right)
{
	const struct left_over *a = left, *b = right;

	return ORDER_BY_4(a, b, path, owner, file, offset);
}

static size_t find_left_over(struct comparison *comparison, struct left_over *ret)
{
	size_t count = 0;

	for (uint32_t i = 0; i < comparison->site_values.count; i++) {
		const struct compare_site *site = &comparison->sites[i];
		const char *file = site->is_at_home ? "" : site->file;

		if (site->presence == COMPARE_BOTH || !site->file)
			continue;
		ret[count++] = (struct left_over){
			.path = site->path,
			.owner = site->owner,
			.file = intern_text(&comparison->texts, file, NULL),
			.number = i,
			.offset = site->offset,
			.is_after = site->presence == COMPARE_AFTER};
	}
	if (count)
		qsort(ret, count, sizeof(*ret), by_place);
	return count;
}

struct pair {
	uint32_t before, after;
	int64_t distance;
};

static int nearest_first(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	return ORDER_BY_3(a, b, distance, before, after);
}

/* All pairs of one path and file that are near. The caller frees ret. */
static size_t find_pairs(const struct left_over *list, size_t count, struct pair **ret)
{
	size_t pair_count = 0;
	struct pair *pairs = NULL;

	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1;
		     j < count && list[j].path == list[i].path &&
		     list[j].owner == list[i].owner && list[j].file == list[i].file &&
		     list[j].offset - list[i].offset <= LINES_APART;
		     j++) {
			const struct left_over *before = &list[list[i].is_after ? j : i];
			const struct left_over *after = &list[list[i].is_after ? i : j];

			if (before->is_after == after->is_after)
				continue;
			ARRAY_ADD(pairs, pair_count) =
				(struct pair){before->number, after->number,
					      list[j].offset - list[i].offset};
		}
	if (pair_count)
		qsort(pairs, pair_count, sizeof(*pairs), nearest_first);
	*ret = pairs;
	return pair_count;
}

static void merge_sites(struct comparison *comparison, uint32_t before, uint32_t after)
{
	struct compare_site *from = &comparison->sites[after];
	struct compare_site *to = &comparison->sites[before];

	compare_move_values(&comparison->site_values, after, before);
	to->file = from->file;
	to->line_after = from->line_after;
	to->presence |= from->presence;
	from->presence = 0;
	from->merged_into = before;
}

void match_sites(struct comparison *comparison)
{
	size_t count = comparison->site_values.count;
	auto_free struct left_over *list = xreallocarray(NULL, count + 1, sizeof(*list));
	auto_free struct pair *pairs = NULL;
	size_t pair_count = find_pairs(list, find_left_over(comparison, list), &pairs);

	for (size_t i = 0; i < pair_count; i++)
		if (comparison->sites[pairs[i].before].presence == COMPARE_BEFORE &&
		    comparison->sites[pairs[i].after].presence == COMPARE_AFTER)
			merge_sites(comparison, pairs[i].before, pairs[i].after);
}
