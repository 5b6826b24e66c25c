/* SPDX-License-Identifier: MIT */
/* Names and rates of what is watched. */
#include "analyzer/live/live.h"

#include <stdlib.h>
#include <string.h>

#include "collector/follow/room.h"
#include "analyzer/model/table.h"
#include "common/base/utf8.h"
#include "common/base/xalloc.h"

/* Longer names are cut: one that is wider than any terminal is not read. */
#define NAME_MOST 4000
/* Of a deeper path the outermost are left out. */
#define CHAIN_MOST 256u

void live_init(struct live *live, struct follow *follow, const struct screen *screen)
{
	*live = (struct live){.follow = follow,
			      .screen = screen,
			      .since = LEDGER_LOOK,
			      .sort = -1,
			      .pool = name_pool_new()};
}

void live_done(struct live *live)
{
	for (size_t i = 0; i < live->name_count; i++)
		free(live->names[i]);
	free(live->names);
	free(live->is_match);
	rates_done(&live->rates);
	name_pool_free(live->pool);
	follow_close(live->follow);
}

void live_follow(struct live *live, struct follow *follow)
{
	struct live old = *live;

	live_init(live, follow, old.screen);
	live->has_all_screens = old.has_all_screens;
	live->sort = old.sort;
	live->is_reversed = old.is_reversed;
	memcpy(live->filter, old.filter, sizeof(live->filter));
	live_done(&old);
}

static char *shown_name(const char *name)
{
	struct strbuf clean = {0};
	char *cut = xstrndup(name, strnlen(name, NAME_MOST));

	utf8_clean(&clean, cut);
	free(cut);
	cut = xstrdup(strbuf_text(&clean));
	strbuf_free(&clean);
	return cut;
}

bool live_matches(const struct live *live, const char *text)
{
	return !*live->filter || strcasestr(text, live->filter);
}

/* New functions, and a new filter. */
static void update_names(struct live *live)
{
	const struct identify *identify = &live->follow->merge.identify;
	uint32_t count = (uint32_t)identify->function_count;
	size_t from = live->name_count;

	live->names = follow_room(live->names, &live->name_room, count, sizeof(char *));
	live->is_match = follow_room(live->is_match, &live->match_room, count, 1);
	for (; live->name_count < count; live->name_count++) {
		const char *name = identify->functions[live->name_count].name;

		live->names[live->name_count] = shown_name(name ? name : "?");
		name_pool_add(live->pool, live->names[live->name_count]);
	}
	if (strcmp(live->filter, live->matched) != 0)
		from = 0;
	memcpy(live->matched, live->filter, sizeof(live->matched));
	for (size_t i = from; i < count; i++)
		live->is_match[i] = live_matches(live, live->names[i]);
}

void live_update(struct live *live, bool has_rates)
{
	if (live->zoom >= live->follow->paths.count)
		live->zoom = 0;
	update_names(live);
	if (has_rates)
		rates_find(&live->rates, live->follow, live->since, live->zoom);
	else
		rates_begin(&live->rates, live->follow, live->since, live->zoom);
}

void live_chain(const struct live *live, uint32_t path, struct strbuf *ret)
{
	const struct follow_path *paths = live->follow->path_rows;
	uint32_t chain[CHAIN_MOST], count = 0;

	for (uint32_t at = path; at && count < CHAIN_MOST; at = paths[at].parent) {
		chain[count++] = at;
		if (at == live->zoom)
			break;
	}
	while (count) {
		strbuf_puts(ret, live->names[paths[chain[--count]].function]);
		if (count)
			strbuf_putc(ret, TABLE_CHAIN_END);
	}
}
