/* SPDX-License-Identifier: MIT */
/*
 * What is shown of what is watched: screens, pictures of them as lines of text, the log,
 * and a terminal with its keys. Must not know where lines of text go; only terminal.c
 * knows ncurses, and keys that are no characters have numbers of their own.
 */
#pragma once

#include <stdio.h>

#include "analyzer/live/live.h"
#include "analyzer/model/table.h"
#include "common/base/strbuf.h"

/*
 * The contract of a screen: a query whose columns are named as a report's, of which only
 * the rows that are shown are made into a table. To add one: an entry in screens.c, a
 * query in screens.sql.
 */
struct screen {
	const char *name;  /* of --view, and of its rows in the log */
	const char *title; /* what its rows are */
	char key;
	size_t sort; /* the column by which it is sorted unless told otherwise */
	/* A COLUMN_CHAIN is of the path "zoom", into which Enter goes. */
	const char *sql;
	const char *sql_of_paths; /* of one process, and below a path; NULL: the same */
};

extern const struct screen *const screen_registry;
extern const size_t screen_registry_count;

const struct screen *screen_find(const char *name);
const struct screen *screen_of_key(int key);

/* The rows of live's screen, best first, at most `most`. *ret_paths: into which paths
 * they are zoomed, 0: none; owned by the caller (free); ret_paths may be NULL. */
struct table *screen_table(const struct live *live, size_t most, uint32_t **ret_paths);
/* The column by which it is sorted now, in a table of this screen. */
const struct column *screen_sorted_by(const struct live *live, const struct table *table);
/* The next (1) or last (-1) column of numbers to sort by. */
void screen_sort_by_next(struct live *live, int direction);

/* One picture of what is watched, as lines of text that are safe to print and no wider
 * than asked for. */
struct frame_style {
	size_t width, height; /* height 0: as many lines as there are rows */
	size_t rows_most;     /* of the table */
	bool utf8;
	const char *message; /* a line of its own; NULL: none */
	bool is_frozen;
};

struct frame {
	char **lines;
	size_t line_count;
	size_t head_count; /* lines before the table's header */
	size_t first_row;  /* the line of the first row */
	uint32_t *paths;   /* into which the rows are zoomed; 0: none */
	size_t row_count;
};

/* Free with frame_done(). */
void frame_make(struct frame *ret, const struct live *live,
		const struct frame_style *style);
void frame_done(struct frame *frame);

/* The log of `top --top N`: lines of words name=value, to be read by programs and found
 * by grep. docs/live.md promises the words; they stay. */

/* What a look has found, of all screens: a line `look`, and at most `most` lines of each.
 * Errors of the stream are the caller's to check. */
void log_look(FILE *out, struct live *live, size_t most);
/* The program has ended. */
void log_end(FILE *out, const struct live *live);

enum {
	KEYS_UP = 0x110000, /* behind all characters */
	KEYS_DOWN,
	KEYS_PAGE_UP,
	KEYS_PAGE_DOWN,
	KEYS_FIRST,
	KEYS_ENTER,
	KEYS_BACK,
	KEYS_ESCAPE,
};

struct keys {
	size_t selected; /* row of the frame */
	size_t page;	 /* rows of it */
	bool is_frozen, is_typing, has_help, is_done;
	struct strbuf message; /* what the last one did */
};

/* path: what the selected row is zoomed into, 0: nothing. */
void keys_press(struct keys *keys, struct top *top, int key, uint32_t path);
/* The lines of '?'; NULL ends them. */
extern const char *const keys_help[];

/* The live view on a terminal. */

/* Shows it until the user has enough, or for top->count looks. false: there is no
 * terminal that can. */
bool terminal_run(struct top *top);
