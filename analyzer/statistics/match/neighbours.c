/* SPDX-License-Identifier: MIT */
/*
 * Partners for functions that names do not tell: by who calls them and whom they call, of
 * what is matched already; each match tells more of the others. Must not choose among
 * those that could as well be it.
 *
 *     6  moved: the same last part of the name, and most callers and callees
 *     7  renamed: all callers and callees, and two things more of these: as many calls,
 *        about the same line of the same file, a callee, a word of the name
 *
 * Each thing that speaks for a pair is a point; a pair wins when none of its ends has
 * another one with as many points, or one less: a function that was split into two is
 * neither of them.
 */
#include "analyzer/statistics/match/links.h"

#include "common/base/map.h"
#include "common/base/nearest.h"
#include "common/base/strbuf.h"
#include "common/base/xalloc.h"
#include "analyzer/statistics/match/match_name.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ALIKE 0.5
#define LEAD 2		 /* points that a pair must have before all others */
#define LEAST_EVIDENCE 2 /* of another name, beside its neighbours */
#define SAME_NAME 2	 /* points */
#define ROUNDS 32
/* Beyond these nobody can tell, and it would take long. */
#define LONGEST_NAME 256
#define LARGEST_GROUP 4096
#define MOST_PAIRS 200000

/* What each function is known by, on the side that has it. Interned: one number, one
 * text. */
struct names {
	struct intern texts;
	uint32_t *last, *qualified; /* INTERN_NONE: of no interest */
};

/* In all runs as often, and more than once. */
static bool is_called_as_often(const struct comparison *comparison, uint32_t before,
			       uint32_t after)
{
	const struct compare_series *series = &comparison->function_values;
	const int64_t *a = compare_values(series, before, COMPARE_calls);
	const int64_t *b = compare_values(series, after, COMPARE_calls);

	for (size_t i = 0; i < series->run_count; i++)
		if ((i < comparison->before_count ? a : b)[i] != a[0])
			return false;
	return a[0] > 1;
}

static bool is_near(const struct compare_function *a, const struct compare_function *b)
{
	struct strbuf file_a = {0}, file_b = {0};
	bool is_same;

	if (!a->file_before || !b->file || !a->line_before || !b->line_after)
		return false;
	match_add_base(&file_a, a->file_before);
	match_add_base(&file_b, b->file);
	is_same = strcmp(strbuf_text(&file_a), strbuf_text(&file_b)) == 0 &&
		  llabs((int64_t)a->line_before - b->line_after) <= MATCH_LINES_APART;
	strbuf_free(&file_a);
	strbuf_free(&file_b);
	return is_same;
}

static bool is_alike_name(const struct names *names, uint32_t before, uint32_t after)
{
	const char *a = intern_name(&names->texts, names->last[before]);
	const char *b = intern_name(&names->texts, names->last[after]);
	size_t size_a = strlen(a), size_b = strlen(b);

	if (size_a > LONGEST_NAME || size_b > LONGEST_NAME)
		return false;
	return match_share_word(a, b) ||
	       nearest_distance(a, b) <= (size_a < size_b ? size_a : size_b) / 4;
}

/* Of one tier, in a round. */
struct search {
	struct comparison *comparison;
	const struct names *names;
	const struct links *links;
	enum compare_tier tier;
	struct match_pairs pairs;
	struct map seen;
};

/* What speaks for a pair, -1: it is none. */
static int32_t judge(const struct search *search, uint32_t before, uint32_t after)
{
	const struct comparison *comparison = search->comparison;
	const struct names *names = search->names;
	const struct compare_function *a = &comparison->functions[before];
	const struct compare_function *b = &comparison->functions[after];
	struct alike alike = links_compare(search->links, before, after);
	int32_t points;

	if (!alike.has_any || alike.share < LEAST_ALIKE || !match_is_at_home(a, b))
		return -1;
	points = is_called_as_often(comparison, before, after) + is_near(a, b) +
		 alike.has_callee;
	if (search->tier == COMPARE_MOVED) {
		if (names->qualified[before] == names->qualified[after])
			points += SAME_NAME;
	} else {
		if (is_alike_name(names, before, after))
			points += SAME_NAME;
		if (alike.share < 1 || points < LEAST_EVIDENCE)
			return -1;
	}
	return points + (alike.share >= 1 ? 2 : 1);
}

/* Functions on one side only by a key, those before apart from those after. */
struct groups {
	struct grouped {
		uint32_t key, number;
		bool is_after;
	} * list;
	size_t count, capacity;
};

static void groups_add(struct groups *groups, uint32_t key, uint32_t number,
		       bool is_after)
{
	groups->list = xgrow(groups->list, groups->count, &groups->capacity,
			     sizeof(*groups->list));
	groups->list[groups->count++] = (struct grouped){key, number, is_after};
}

static int by_key_and_side(const void *left, const void *right)
{
	const struct grouped *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->is_after != b->is_after)
		return a->is_after ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

static void pair_group(struct search *search, const struct grouped *list, size_t before,
		       size_t after)
{
	if (before * after > LARGEST_GROUP)
		return;
	for (size_t i = 0; i < before; i++)
		for (size_t j = before; j < before + after; j++) {
			int32_t points;
			bool is_new;

			if (search->seen.count >= MOST_PAIRS)
				return;
			map_number(&search->seen, list[i].number, list[j].number, 0,
				   &is_new);
			if (!is_new)
				continue;
			points = judge(search, list[i].number, list[j].number);
			if (points >= 0)
				match_add_pair(&search->pairs, list[i].number,
					       list[j].number, points);
		}
}

/* Judges all pairs of the groups, and ends these. */
static void pair_groups(struct search *search, struct groups *groups)
{
	if (groups->count)
		qsort(groups->list, groups->count, sizeof(*groups->list),
		      by_key_and_side);
	for (size_t i = 0; i < groups->count;) {
		size_t before = 0, after = 0;

		for (size_t j = i;
		     j < groups->count && groups->list[j].key == groups->list[i].key;
		     j++) {
			before += !groups->list[j].is_after;
			after += groups->list[j].is_after;
		}
		pair_group(search, &groups->list[i], before, after);
		i += before + after;
	}
	free(groups->list);
	*groups = (struct groups){0};
}

static bool is_wanted(const struct compare_function *function)
{
	return (function->presence == COMPARE_BEFORE ||
		function->presence == COMPARE_AFTER) &&
	       match_has_name(function);
}

static void find_moved(struct search *search)
{
	const struct comparison *comparison = search->comparison;
	struct groups groups = {0};

	for (uint32_t i = 0; i < comparison->function_values.count; i++)
		if (is_wanted(&comparison->functions[i]))
			groups_add(&groups, search->names->last[i], i,
				   comparison->functions[i].presence == COMPARE_AFTER);
	pair_groups(search, &groups);
}

/* Who has a neighbour in common. */
static void find_renamed(struct search *search)
{
	const struct comparison *comparison = search->comparison;
	const struct links *links = search->links;
	struct groups groups = {0};

	for (size_t i = 0; i < links->count; i++) {
		const struct link *link = &links->list[i];
		const struct compare_function *function =
			&comparison->functions[link->owner];

		if (link_is_known(link) && is_wanted(function))
			groups_add(&groups, link->other, link->owner,
				   function->presence == COMPARE_AFTER);
	}
	pair_groups(search, &groups);
}

/* The best two of each function. */
struct best {
	int32_t first, second;
};

static void rank(struct best *best, int32_t points)
{
	if (points > best->first) {
		best->second = best->first;
		best->first = points;
	} else if (points > best->second) {
		best->second = points;
	}
}

static bool leads(const struct best *best, int32_t points)
{
	return points == best->first && points >= best->second + LEAD;
}

/* Merges the pairs that win; returns how many. The others are uncertain. */
static size_t choose(struct search *search)
{
	struct comparison *comparison = search->comparison;
	size_t count = comparison->function_values.count, chosen = 0;
	struct best *best = xcalloc(count + 1, sizeof(*best));

	for (size_t i = 0; i < count; i++)
		best[i] = (struct best){-LEAD, -LEAD};
	for (size_t i = 0; i < search->pairs.count; i++) {
		const struct match_pair *pair = &search->pairs.list[i];

		rank(&best[pair->before], pair->points);
		rank(&best[pair->after], pair->points);
	}
	for (size_t i = 0; i < search->pairs.count; i++) {
		const struct match_pair *pair = &search->pairs.list[i];

		if (leads(&best[pair->before], pair->points) &&
		    leads(&best[pair->after], pair->points)) {
			match_merge(comparison, pair->before, pair->after, search->tier);
			chosen++;
		} else {
			comparison->functions[pair->before].is_uncertain = true;
			comparison->functions[pair->after].is_uncertain = true;
		}
	}
	free(best);
	return chosen;
}

static size_t match_tier(struct comparison *comparison, const struct names *names,
			 const struct links *links, enum compare_tier tier)
{
	struct search search = {
		.comparison = comparison, .names = names, .links = links, .tier = tier};
	size_t chosen;

	if (tier == COMPARE_MOVED)
		find_moved(&search);
	else
		find_renamed(&search);
	chosen = choose(&search);
	free(search.pairs.list);
	map_done(&search.seen);
	return chosen;
}

/* The surer tier until it finds nothing more, then the other, and again. */
static bool match_round(struct comparison *comparison, const struct names *names)
{
	struct links links = links_new(comparison);
	bool any;

	for (size_t i = 0; i < comparison->function_values.count; i++)
		comparison->functions[i].is_uncertain = false;
	any = match_tier(comparison, names, &links, COMPARE_MOVED) > 0 ||
	      match_tier(comparison, names, &links, COMPARE_RENAMED) > 0;
	links_free(&links);
	return any;
}

bool compare_wants_edges(const struct comparison *comparison)
{
	uint8_t sides = 0;

	for (size_t i = 0; i < comparison->function_values.count; i++)
		if (is_wanted(&comparison->functions[i]))
			sides |= comparison->functions[i].presence;
	return sides == COMPARE_BOTH;
}

static struct names names_new(const struct comparison *comparison)
{
	size_t count = comparison->function_values.count;
	struct names names = {
		.last = xreallocarray(NULL, count + 1, sizeof(uint32_t)),
		.qualified = xreallocarray(NULL, count + 1, sizeof(uint32_t)),
	};
	struct strbuf text = {0};

	for (size_t i = 0; i < count; i++) {
		const struct compare_function *function = &comparison->functions[i];

		names.last[i] = names.qualified[i] = INTERN_NONE;
		if (!is_wanted(function))
			continue;
		strbuf_reset(&text);
		match_add_last(&text, function->full_name);
		names.last[i] = intern_text(&names.texts, strbuf_text(&text), NULL);
		strbuf_reset(&text);
		match_add_qualified(&text, function->full_name, function->file);
		names.qualified[i] = intern_text(&names.texts, strbuf_text(&text), NULL);
	}
	strbuf_free(&text);
	return names;
}

void compare_match_neighbours(struct comparison *comparison)
{
	struct names names = names_new(comparison);

	for (size_t i = 0; i < ROUNDS; i++)
		if (!match_round(comparison, &names))
			break;
	match_note_uncertain(comparison);
	free(names.last);
	free(names.qualified);
	intern_free(&names.texts);
}
