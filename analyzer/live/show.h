/* SPDX-License-Identifier: MIT */
/*
 * How a live view is shown: screens, frames as lines of text, the log, and a terminal
 * with its keys. Must not know where lines go; only terminal.c knows ncurses, and keys
 * that are not characters have numbers of their own.
 */
#pragma once

#include <stdio.h>

#include "analyzer/live/live.h"
#include "analyzer/model/table.h"
#include "common/base/text.h"

/*
 * A screen is a query whose columns are named as in reports; only visible rows become a
 * table. To add one: an entry in screens.c and a query in screens.sql.
 */
struct screen {
	const char *name;  /* of --view, and of its rows in the log */
	const char *title; /* what its rows are */
	char key;
	size_t sort; /* sort column by default */
	/* A COLUMN_CHAIN shows the path "zoom", into which Enter goes. */
	const char *sql;
	const char
		*sql_of_paths; /* for one process or below a path; NULL: the same query */
};

extern const struct screen *const screen_registry;
extern const size_t screen_registry_count;

const struct screen *screen_find(const char *name);
const struct screen *screen_of_key(int key);

/* The first rows of the current screen, at most `most`. *ret_paths: for each row the path
 * it zooms into (0: none), owned by the caller (free). ret_paths may be NULL. */
struct table *screen_table(const struct live *live, size_t most, uint32_t **ret_paths);
/* The current sort column in a table of this screen. */
const struct column *screen_sorted_by(const struct live *live, const struct table *table);
/* Sorts by the next (1) or previous (-1) column of numbers. */
void screen_sort_by_next(struct live *live, int direction);

/* A frame: the view as lines of text that are safe to print and no wider than asked
 * for. */
struct frame_style {
	size_t width, height; /* height 0: as many lines as needed */
	size_t rows_most;     /* of the table */
	bool utf8;
	const char *message; /* shown on a line of its own; NULL: none */
	bool is_frozen;
};

struct frame {
	char **lines;
	size_t line_count;
	size_t head_count; /* lines before the table's header */
	size_t first_row;  /* the line of the first row */
	uint32_t *paths;   /* for each row the path it zooms into; 0: none */
	size_t row_count;
};

/* Free with frame_done(). */
void frame_make(struct frame *ret, const struct live *live,
		const struct frame_style *style);
void frame_done(struct frame *frame);

/* The log of `top --top N`: lines of words name=value, for programs and grep.
 * docs/live.md promises the words, so they must stay. */

/* Writes a line `look` and at most `most` lines for each screen. The caller checks the
 * stream for errors. */
void log_look(FILE *out, struct live *live, size_t most);
enum {
	KEYS_UP = 0x110000, /* above all characters */
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
	size_t page;	 /* visible rows */
	bool is_frozen, is_typing, has_help, is_done;
	struct strbuf message; /* result of the last key */
};

/* path: what the selected row zooms into; 0: nothing. */
void keys_press(struct keys *keys, struct top *top, int key, uint32_t path);
/* Lines shown by '?', ended by NULL. */
extern const char *const keys_help[];

/* The live view on a terminal. */

/* Shows the live view until the user quits, or for top->count looks. False: the terminal
 * cannot do that. */
bool terminal_run(struct top *top);
