/* SPDX-License-Identifier: MIT */
/*
 * Partners by name for functions that are on one side only, looked for tier by tier, the
 * surest first. Must not use addresses.
 *
 *     1  same module, linkage name and file (done while entering)
 *     2  same linkage name without clone suffixes and symbol version, anywhere
 *     3  same demangled name in one spelling
 *     4  same name without template arguments and parameters, in the same place
 *     5  same file and last part of the name, at most 20 lines apart
 *
 * A key that stands for several functions on a side matches none of them: a wrong
 * partner is worse than a function shown as gone and another as new. Who calls them may
 * tell (neighbours.c).
 */
#include "analyzer/statistics/match/merge.h"

#include "common/base/strbuf.h"
#include "common/base/xalloc.h"
#include "analyzer/statistics/match/match_name.h"

#include <stdlib.h>
#include <string.h>

#define AMBIGUOUS (COMPARE_NONE - 1)
#define CROWD 64 /* instances of one template, say */

bool match_has_name(const struct compare_function *function)
{
	return function->linkage_name || strncmp(function->name, "0x", 2) != 0;
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool match_is_at_home(const struct compare_function *a, const struct compare_function *b)
{
	return same(a->module, b->module) && same(a->component, b->component);
}

/* The function's key of a tier; false: it has none. */
static bool make_key(struct strbuf *key, const struct compare_function *function,
		     enum compare_tier tier)
{
	strbuf_reset(key);
	if (!match_has_name(function))
		return false;
	switch (tier) {
	case COMPARE_BY_STEM:
		match_add_stripped(key, function->linkage_name ? function->linkage_name
							       : function->full_name);
		return true;
	case COMPARE_BY_SPELLING:
		match_add_canonical(key, function->full_name, function->file);
		return true;
	case COMPARE_BY_FAMILY:
		match_add_qualified(key, function->full_name, function->file);
		strbuf_printf(key, "\n%s\n%s", function->module ? function->module : "",
			      function->component ? function->component : "");
		return true;
	default:
		match_add_base(key, function->file);
		strbuf_putc(key, '\n');
		match_add_last(key, function->full_name);
		return function->file != NULL;
	}
}

void match_merge(struct comparison *comparison, uint32_t before, uint32_t after,
		 enum compare_tier tier)
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
	to->is_uncertain = false;
	to->tier = (uint8_t)tier;
	from->presence = 0;
	from->merged_into = before;
}

/* The only function of each key on each side. */
struct candidates {
	struct intern keys;
	uint32_t (*numbers)[2];
	uint32_t *key_of; /* of each function; COMPARE_NONE: it has none */
};

static void collect(const struct comparison *comparison, enum compare_tier tier,
		    struct candidates *candidates)
{
	size_t count = comparison->function_values.count;
	struct strbuf key = {0};

	candidates->numbers =
		xreallocarray(NULL, count + 1, sizeof(*candidates->numbers));
	candidates->key_of = xreallocarray(NULL, count + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++) {
		const struct compare_function *function = &comparison->functions[i];
		bool is_new, is_after = match_is_left_over(function, COMPARE_AFTER);
		uint32_t *number;

		candidates->key_of[i] = COMPARE_NONE;
		if (!is_after && !match_is_left_over(function, COMPARE_BEFORE))
			continue;
		if (!make_key(&key, function, tier))
			continue;
		candidates->key_of[i] =
			intern_text(&candidates->keys, strbuf_text(&key), &is_new);
		number = candidates->numbers[candidates->key_of[i]];
		if (is_new)
			number[0] = number[1] = COMPARE_NONE;
		number[is_after] = number[is_after] == COMPARE_NONE ? i : AMBIGUOUS;
	}
	strbuf_free(&key);
}

static void candidates_free(struct candidates *candidates)
{
	free(candidates->numbers);
	free(candidates->key_of);
	intern_free(&candidates->keys);
}

static void match_by_key(struct comparison *comparison, enum compare_tier tier)
{
	struct candidates candidates = {0};

	collect(comparison, tier, &candidates);
	for (size_t i = 0; i < candidates.keys.count; i++) {
		const uint32_t *number = candidates.numbers[i];

		if (number[0] < AMBIGUOUS && number[1] < AMBIGUOUS)
			match_merge(comparison, number[0], number[1], tier);
	}
	candidates_free(&candidates);
}

void match_note_uncertain(struct comparison *comparison)
{
	for (int tier = COMPARE_BY_STEM; tier < COMPARE_BY_PLACE; tier++) {
		struct candidates candidates = {0};

		collect(comparison, (enum compare_tier)tier, &candidates);
		for (size_t i = 0; i < comparison->function_values.count; i++) {
			const uint32_t *number;

			if (candidates.key_of[i] == COMPARE_NONE)
				continue;
			number = candidates.numbers[candidates.key_of[i]];
			if (number[0] != COMPARE_NONE && number[1] != COMPARE_NONE)
				comparison->functions[i].is_uncertain = true;
		}
		candidates_free(&candidates);
	}
}

void match_add_pair(struct match_pairs *pairs, uint32_t before, uint32_t after,
		    int32_t points)
{
	pairs->list =
		xgrow(pairs->list, pairs->count, &pairs->capacity, sizeof(*pairs->list));
	pairs->list[pairs->count++] = (struct match_pair){before, after, points};
}

/* A function and the line that it is defined on. */
struct placed {
	uint32_t key, number;
	int64_t line;
	bool is_after;
};

static int by_key_and_line(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* The only one of the other side that is near, or COMPARE_NONE; so of a crowd, too. */
static uint32_t only_near(const struct placed *places, size_t count, size_t at)
{
	uint32_t found = COMPARE_NONE;
	size_t seen = 0;

	for (int step = -1; step <= 1; step += 2)
		for (size_t i = at + (size_t)step; i < count; i += (size_t)step) {
			if (places[i].key != places[at].key ||
			    llabs(places[i].line - places[at].line) > MATCH_LINES_APART)
				break;
			if (++seen > CROWD)
				return COMPARE_NONE;
			if (places[i].is_after == places[at].is_after)
				continue;
			if (found != COMPARE_NONE)
				return COMPARE_NONE;
			found = (uint32_t)i;
		}
	return found;
}

static void match_by_place(struct comparison *comparison)
{
	struct candidates candidates = {0};
	size_t count = 0, capacity = 0;
	struct placed *places = NULL;
	struct match_pairs pairs = {0};

	collect(comparison, COMPARE_BY_PLACE, &candidates);
	for (uint32_t i = 0; i < comparison->function_values.count; i++) {
		const struct compare_function *function = &comparison->functions[i];
		bool is_after = function->presence == COMPARE_AFTER;

		if (candidates.key_of[i] == COMPARE_NONE)
			continue;
		places = xgrow(places, count, &capacity, sizeof(*places));
		places[count++] = (struct placed){candidates.key_of[i], i,
						  is_after ? function->line_after
							   : function->line_before,
						  is_after};
	}
	if (count)
		qsort(places, count, sizeof(*places), by_key_and_line);
	for (size_t i = 0; i < count; i++) {
		uint32_t other =
			places[i].is_after ? COMPARE_NONE : only_near(places, count, i);

		if (other != COMPARE_NONE && only_near(places, count, other) == i)
			match_add_pair(&pairs, places[i].number, places[other].number, 0);
	}
	for (size_t i = 0; i < pairs.count; i++)
		match_merge(comparison, pairs.list[i].before, pairs.list[i].after,
			    COMPARE_BY_PLACE);
	free(pairs.list);
	free(places);
	candidates_free(&candidates);
}

void compare_match_functions(struct comparison *comparison)
{
	for (int tier = COMPARE_BY_STEM; tier < COMPARE_BY_PLACE; tier++)
		match_by_key(comparison, (enum compare_tier)tier);
	match_by_place(comparison);
}
