/* SPDX-License-Identifier: MIT */
/*
 * What this is:  partners for what is on one side only, looked for tier by tier:
 *
 *     1  same module, linkage name and file (done while entering)
 *     2  same linkage name without clone suffixes and symbol version, anywhere
 *     3  same demangled name in one spelling
 *     4  same template family, when each side has one
 *     5  same file and last part of the name, at most 20 lines apart
 *
 * A key that stands for several functions on a side matches none of them: a wrong
 * partner is worse than a function shown as gone and another as new.
 *
 * Runs on:       prof-analyze, any thread.
 * Must not:      use addresses.
 * See also:      match_name.c, the keys.
 */
#include "analyzer/model/compare.h"

#include "analyzer/base/strbuf.h"
#include "analyzer/base/xalloc.h"
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
							       : function->name);
		return true;
	}
	match_add_canonical(&canonical, function->name, function->file);
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
	to->linkage_name = from->linkage_name;
	to->module = from->module;
	to->file = from->file;
	to->line_after = from->line_after;
	to->presence |= from->presence;
	to->hooked |= from->hooked;
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
	size_t count;
};

static void group(struct groups *groups, uint32_t key, bool is_new, uint32_t number)
{
	if (is_new) {
		groups->first[key] = COMPARE_NONE;
		groups->count = key + 1;
	}
	groups->next[number] = groups->first[key];
	groups->first[key] = number;
}

static void groups_init(struct groups *groups, size_t count)
{
	groups->first = xreallocarray(NULL, count + 1, sizeof(*groups->first));
	groups->next = xreallocarray(NULL, count + 1, sizeof(*groups->next));
	groups->count = 0;
}

static void groups_free(struct groups *groups)
{
	free(groups->first);
	free(groups->next);
}

static void match_by_line(struct comparison *comparison)
{
	size_t count = comparison->function_values.count;
	const struct compare_function *functions = comparison->functions;
	struct intern keys = {0};
	struct groups groups;
	struct strbuf key = {0};
	struct pairs pairs = {0};
	bool is_new;

	groups_init(&groups, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number;

		if (!functions[i].presence || functions[i].presence == COMPARE_BOTH ||
		    !make_key(&key, &functions[i], LINE_TIER))
			continue;
		number = intern_text(&keys, strbuf_text(&key), &is_new);
		group(&groups, number, is_new, i);
	}
	for (size_t k = 0; k < groups.count; k++)
		for (uint32_t i = groups.first[k]; i != COMPARE_NONE; i = groups.next[i])
			for (uint32_t j = groups.first[k]; j != COMPARE_NONE;
			     j = groups.next[j])
				if (functions[i].presence == COMPARE_BEFORE &&
				    functions[j].presence == COMPARE_AFTER)
					add_pair(&pairs, i, j, functions[i].line_before,
						 functions[j].line_after);
	if (pairs.count)
		qsort(pairs.list, pairs.count, sizeof(*pairs.list), nearest_first);
	for (size_t i = 0; i < pairs.count; i++)
		if (functions[pairs.list[i].before].presence == COMPARE_BEFORE &&
		    functions[pairs.list[i].after].presence == COMPARE_AFTER)
			merge_functions(comparison, pairs.list[i].before,
					pairs.list[i].after, LINE_TIER);
	free(pairs.list);
	groups_free(&groups);
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
	const struct compare_site *sites = comparison->sites;
	struct intern_pairs keys = {0};
	struct groups groups;
	struct pairs pairs = {0};
	bool is_new;

	groups_init(&groups, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t file, number;

		if (sites[i].presence == COMPARE_BOTH || !sites[i].file)
			continue;
		file = intern_text(&comparison->texts, sites[i].file, NULL);
		number = intern_pair(&keys, sites[i].path, file, &is_new);
		group(&groups, number, is_new, i);
	}
	for (size_t k = 0; k < groups.count; k++)
		for (uint32_t i = groups.first[k]; i != COMPARE_NONE; i = groups.next[i])
			for (uint32_t j = groups.first[k]; j != COMPARE_NONE;
			     j = groups.next[j])
				if (sites[i].presence == COMPARE_BEFORE &&
				    sites[j].presence == COMPARE_AFTER)
					add_pair(&pairs, i, j, sites[i].offset,
						 sites[j].offset);
	if (pairs.count)
		qsort(pairs.list, pairs.count, sizeof(*pairs.list), nearest_first);
	for (size_t i = 0; i < pairs.count; i++)
		if (sites[pairs.list[i].before].presence == COMPARE_BEFORE &&
		    sites[pairs.list[i].after].presence == COMPARE_AFTER)
			merge_sites(comparison, pairs.list[i].before,
				    pairs.list[i].after);
	free(pairs.list);
	groups_free(&groups);
	intern_pairs_free(&keys);
}
