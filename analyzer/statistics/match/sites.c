/* SPDX-License-Identifier: MIT */
/*
 * Allocation sites of one call path: lines put in above move them. Must not look beyond
 * the path, or further than 20 lines.
 */
#include "analyzer/statistics/match/merge.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <stdlib.h>

static int nearest_first(const void *left, const void *right)
{
	const struct match_pair *a = left, *b = right;

	if (a->points != b->points)
		return a->points > b->points ? -1 : 1;
	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;
	return (a->after > b->after) - (a->after < b->after);
}

static void add_pair(struct match_pairs *pairs, uint32_t before, uint32_t after,
		     int64_t line_before, int64_t line_after)
{
	int64_t distance = llabs(line_after - line_before);

	if (distance <= MATCH_LINES_APART)
		match_add_pair(pairs, before, after, (int32_t)-distance);
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

static void add_pairs(struct match_pairs *pairs, const struct groups *groups, size_t key)
{
	for (uint32_t i = groups->first[key]; i != COMPARE_NONE; i = groups->next[i])
		for (uint32_t j = groups->first[key]; j != COMPARE_NONE;
		     j = groups->next[j])
			if (groups->sides[i] == COMPARE_BEFORE &&
			    groups->sides[j] == COMPARE_AFTER)
				add_pair(pairs, i, j, groups->places[i],
					 groups->places[j]);
}

static void merge_sites(struct comparison *comparison, uint32_t before, uint32_t after)
{
	struct compare_site *from = &comparison->sites[after];
	struct compare_site *to = &comparison->sites[before];

	compare_move_values(&comparison->site_values, after, before);
	to->file = from->file;
	to->line_after = from->line_after;
	to->presence |= from->presence;
	to->tier = COMPARE_BY_PLACE;
	from->presence = 0;
	from->merged_into = before;
}

/* Merges the nearest of each group, pair by pair, and ends the groups. */
static void merge_nearest(struct comparison *comparison, struct groups *groups)
{
	struct match_pairs pairs = {0};

	for (size_t key = 0; key < groups->count; key++)
		add_pairs(&pairs, groups, key);
	if (pairs.count)
		qsort(pairs.list, pairs.count, sizeof(*pairs.list), nearest_first);
	for (size_t i = 0; i < pairs.count; i++) {
		uint32_t before = pairs.list[i].before, after = pairs.list[i].after;

		if (!groups->sides[before] || !groups->sides[after])
			continue;
		merge_sites(comparison, before, after);
		groups->sides[before] = groups->sides[after] = 0;
	}
	free(pairs.list);
	groups_free(groups);
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
		file = intern_text(&comparison->texts, site->is_at_home ? "" : site->file,
				   NULL);
		number = map_number(&keys, site->path, file, 0, &is_new);
		groups_add(&groups, number, is_new, i, site->presence, site->offset);
	}
	merge_nearest(comparison, &groups);
	map_done(&keys);
}
