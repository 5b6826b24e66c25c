/* SPDX-License-Identifier: MIT */
/*
 * What is watched, and how it is looked at: the state that screens, frames, the log and
 * the terminal share. Must not know any of these.
 */
#pragma once

#include "analyzer/live/rates.h"
#include "analyzer/names/name_pool.h"
#include "common/base/strbuf.h"

struct screen; /* screen.h */

#define LIVE_FILTER_MOST 200

struct live {
	struct follow *follow;
	struct rates rates;
	const struct screen *screen;
	bool has_all_screens;	 /* all are shown of each look, as in the log */
	enum ledger_since since; /* LEDGER_LOOK or LEDGER_ZERO */
	int sort;		 /* column of the screen; -1: its own */
	bool is_reversed;
	char filter[LIVE_FILTER_MOST + 1]; /* "": all */
	uint32_t zoom;			   /* path, 0: all */
	/* functions, as they can be shown; parallel to the merge's */
	char **names;
	uint8_t *is_match; /* does the filter let it through */
	size_t name_count;
	uint32_t name_room, match_room;
	char matched[LIVE_FILTER_MOST + 1]; /* the filter that is_match is of */
	struct name_pool *pool;
};

/* Takes the follow. */
void live_init(struct live *live, struct follow *follow, const struct screen *screen);
void live_done(struct live *live);
/* Shows another one in the same way. Takes it. */
void live_follow(struct live *live, struct follow *follow);

/* After a look, or when something above has changed: the rates of what is to be shown,
 * see screen_update(). has_rates: all of them; else no more than rates_begin() finds. */
void live_update(struct live *live, bool has_rates);

/* The path's names from the outermost (below the zoom) on, as a COLUMN_CHAIN cell has
 * them. */
void live_chain(const struct live *live, uint32_t path, struct strbuf *ret);
/* Has the text the filter in it, whatever the case of letters? */
bool live_matches(const struct live *live, const char *text);
