/* SPDX-License-Identifier: MIT */
/*
 * What a key of the live view does. Must not know ncurses: keys that are no characters
 * have numbers of their own.
 */
#pragma once

#include "analyzer/live/looks.h"

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
