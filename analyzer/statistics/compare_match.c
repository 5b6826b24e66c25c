/* SPDX-License-Identifier: MIT */
/*
 * Partners for what is on one side only, looked for tier by tier: Must not use
 * addresses.
 *
 *     1  same module, linkage name and file (done while entering)
 *     2  same linkage name without clone suffixes and symbol version, anywhere
 *     3  same demangled name in one spelling
 *     4  same template family, when each side has one
 *     5  same file and last part of the name, at most 20 lines apart
 *
 * A key that stands for several functions on a side matches none of them: a wrong
 * partner is worse than a function shown as gone and another as new.
 */
#include "analyzer/statistics/compare.h"

#include "common/base/map.h"
#include "common/base/strbuf.h"
#include "common/base/xalloc.h"
#include "analyzer/model/match_name.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TIER 2
#define LINE_TIER 5
#define LINES_APART 20
#define AMBIGUOUS (COMPARE_NONE - 1)

static bool is_left_over(const struct compare_function *function, uint8_t side)
{
	return function->presence == side;
}

/* An address instead of a name. */
static bool is_nameless(const struct compare_function *function)
{
	return !function->linkage_name && strncmp(function->name, "0x", 2) == 0;
}

/* The function's key of a tier; false: it has none. */
static bool make_key(struct strbuf *key, const struct compare_function *function,
		     int tier)
{
	struct strbuf canonical = {0};
	bool has_key = true;

	strbuf_reset(key);
	if (is_nameless(function))
		return false;
	if (tier == 2) {
		match_add_stripped(key, function->linkage_name ? function->linkage_name
							       : function->full_name);
		return true;
	}
	match_add_canonical(&canonical, function->full_name, function->file);
	if (tier == 3) {
		strbuf_puts(key, strbuf_text(&canonical));
	} else if (tier == 4) {
		has_key = match_add_family(key, strbuf_text(&canonical));
	} else {
		has_key = function->file != NULL;
		match_add_base(key, function->file);
		strbuf_putc(key, '\n');
		match_add_unqualified(key, strbuf_text(&canonical));
	}
	strbuf_free(&canonical);
	return has_key;
}

static void merge_functions(struct comparison *comparison, uint32_t before,
			    uint32_t after, int tier)
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
	to->tier = (uint8_t)tier;
	from->presence = 0;
	from->merged_into = before;
}

/* The only function of each key on each side. */
struct candidates {
	struct intern keys;
	uint32_t (*numbers)[2];
};

static void collect(const struct comparison *comparison, int tier,
		    struct candidates *candidates)
{
	size_t count = comparison->function_values.count;
	struct strbuf key = {0};

	candidates->numbers =
		xreallocarray(NULL, count + 1, sizeof(*candidates->numbers));
	for (uint32_t i = 0; i < count; i++) {
		const struct compare_function *function = &comparison->functions[i];
		bool is_new, is_after = is_left_over(function, COMPARE_AFTER);
		uint32_t *number;

		if (!is_after && !is_left_over(function, COMPARE_BEFORE))
			continue;
		if (!make_key(&key, function, tier))
			continue;
		number = candidates->numbers[intern_text(&candidates->keys,
							 strbuf_text(&key), &is_new)];
		if (is_new)
			number[0] = number[1] = COMPARE_NONE;
		number[is_after] = number[is_after] == COMPARE_NONE ? i : AMBIGUOUS;
	}
	strbuf_free(&key);
}

static void match_by_key(struct comparison *comparison, int tier)
{
	struct candidates candidates = {0};

	collect(comparison, tier, &candidates);
	for (size_t i = 0; i < candidates.keys.count; i++) {
		const uint32_t *number = candidates.numbers[i];

		if (number[0] < AMBIGUOUS && number[1] < AMBIGUOUS)
			merge_functions(comparison, number[0], number[1], tier);
	}
	free(candidates.numbers);
	intern_free(&candidates.keys);
}

/* A possible pair of the last tier, or of sites. */
struct pair {
	uint32_t before, after, distance;
};

struct pairs {
	struct pair *list;
	size_t count, capacity;
};

static int nearest_first(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;
	return (a->after > b->after) - (a->after < b->after);
}

static void add_pair(struct pairs *pairs, uint32_t before, uint32_t after,
		     int64_t line_before, int64_t line_after)
{
	int64_t distance = llabs(line_after - line_before);

	if (distance > LINES_APART)
		return;
	pairs->list =
		xgrow(pairs->list, pairs->count, &pairs->capacity, sizeof(*pairs->list));
	pairs->list[pairs->count++] = (struct pair){before, after, (uint32_t)distance};
}

/* What is left over, in groups of one key: chains through next[]. */
struct groups {
	uint32_t *first, *next;
	uint8_t *sides; /* where each is left over; 0 when it has a partner */
	int64_t *places;
	size_t count;
};

static void groups_add(struct groups *groups, uint32_t key, bool is_new, uint32_t number,
		       uint8_t side, int64_t place)
{
	if (is_new) {
		groups->first[key] = COMPARE_NONE;
		groups->count = key + 1;
	}
	groups->next[number] = groups->first[key];
	groups->first[key] = number;
	groups->sides[number] = side;
	groups->places[number] = place;
}

static void groups_init(struct groups *groups, size_t count)
{
	groups->first = xreallocarray(NULL, count + 1, sizeof(*groups->first));
	groups->next = xreallocarray(NULL, count + 1, sizeof(*groups->next));
	groups->sides = xreallocarray(NULL, count + 1, sizeof(*groups->sides));
	groups->places = xreallocarray(NULL, count + 1, sizeof(*groups->places));
	groups->count = 0;
}

static void groups_free(struct groups *groups)
{
	free(groups->first);
	free(groups->next);
	free(groups->sides);
	free(groups->places);
}

static void add_pairs(struct pairs *pairs, const struct groups *groups, size_t key)
{
	for (uint32_t i = groups->first[key]; i != COMPARE_NONE; i = groups->next[i])
		for (uint32_t j = groups->first[key]; j != COMPARE_NONE;
		     j = groups->next[j])
			if (groups->sides[i] == COMPARE_BEFORE &&
			    groups->sides[j] == COMPARE_AFTER)
				add_pair(pairs, i, j, groups->places[i],
					 groups->places[j]);
}

typedef void merge_pair(struct comparison *comparison, uint32_t before, uint32_t after);

/* Merges the nearest of each group, pair by pair, and ends the groups. */
static void merge_nearest(struct comparison *comparison, struct groups *groups,
			  merge_pair *merge)
{
	struct pairs pairs = {0};

	for (size_t key = 0; key < groups->count; key++)
		add_pairs(&pairs, groups, key);
	if (pairs.count)
		qsort(pairs.list, pairs.count, sizeof(*pairs.list), nearest_first);
	for (size_t i = 0; i < pairs.count; i++) {
		uint32_t before = pairs.list[i].before, after = pairs.list[i].after;

		if (!groups->sides[before] || !groups->sides[after])
			continue;
		merge(comparison, before, after);
		groups->sides[before] = groups->sides[after] = 0;
	}
	free(pairs.list);
	groups_free(groups);
}

static void merge_by_line(struct comparison *comparison, uint32_t before, uint32_t after)
{
	merge_functions(comparison, before, after, LINE_TIER);
}

static void match_by_line(struct comparison *comparison)
{
	size_t count = comparison->function_values.count;
	struct intern keys = {0};
	struct groups groups;
	struct strbuf key = {0};
	bool is_new;

	groups_init(&groups, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct compare_function *function = &comparison->functions[i];
		bool is_after = is_left_over(function, COMPARE_AFTER);
		uint32_t number;

		if ((!is_after && !is_left_over(function, COMPARE_BEFORE)) ||
		    !make_key(&key, function, LINE_TIER))
			continue;
		number = intern_text(&keys, strbuf_text(&key), &is_new);
		groups_add(&groups, number, is_new, i, function->presence,
			   is_after ? function->line_after : function->line_before);
	}
	merge_nearest(comparison, &groups, merge_by_line);
	strbuf_free(&key);
	intern_free(&keys);
}

void compare_match_functions(struct comparison *comparison)
{
	for (int tier = FIRST_TIER; tier < LINE_TIER; tier++)
		match_by_key(comparison, tier);
	match_by_line(comparison);
}

static void merge_sites(struct comparison *comparison, uint32_t before, uint32_t after)
{
	struct compare_site *from = &comparison->sites[after];
	struct compare_site *to = &comparison->sites[before];

	compare_move_values(&comparison->site_values, after, before);
	to->file = from->file;
	to->line_after = from->line_after;
	to->presence |= from->presence;
	to->tier = LINE_TIER;
	from->presence = 0;
	from->merged_into = before;
}

void compare_match_sites(struct comparison *comparison)
{
	size_t count = comparison->site_values.count;
	struct map keys = {0};
	struct groups groups;
	bool is_new;

	groups_init(&groups, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct compare_site *site = &comparison->sites[i];
		uint32_t file, number;

		if (site->presence == COMPARE_BOTH || !site->file)
			continue;
		file = intern_text(&comparison->texts, site->file, NULL);
		number = map_number(&keys, site->path, file, 0, &is_new);
		groups_add(&groups, number, is_new, i, site->presence, site->offset);
	}
	merge_nearest(comparison, &groups, merge_sites);
	map_done(&keys);
}
