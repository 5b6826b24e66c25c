/* SPDX-License-Identifier: MIT */
/*
 * The live view on a terminal. Must not write bytes of names that a frame has not
 * cleaned, need colours, or write more than a line at a time.
 */
#include "analyzer/live/show.h"

#include <curses.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "collector/processes/ticks.h"

#define ESCAPE_MS 25
#define ENDED_MS 1000

struct terminal {
	struct top *top;
	struct keys keys;
	struct frame frame;
	bool utf8;
	int damage; /* -errno once nothing can be read any more */
};

/* Without UTF-8 in the terminal other characters than ASCII are not shown. */
static void put_line(const struct terminal *terminal, int row, char *line, attr_t look)
{
	for (char *at = line; !terminal->utf8 && *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	attrset(look);
	mvaddstr(row, 0, line);
	attrset(A_NORMAL);
}

static attr_t look_of(const struct terminal *terminal, size_t line)
{
	const struct frame *frame = &terminal->frame;

	if (line == 0)
		return A_BOLD;
	if (line == frame->head_count)
		return A_UNDERLINE;
	if (frame->row_count && line == frame->first_row + terminal->keys.selected)
		return A_REVERSE;
	return A_NORMAL;
}

static const char *message_of(struct terminal *terminal, struct strbuf *text)
{
	const struct live *live = &terminal->top->live;

	if (terminal->keys.is_typing)
		strbuf_printf(text, "/%s_   (Enter: keep, Esc: all)", live->filter);
	else if (terminal->keys.message.size)
		strbuf_puts(text, strbuf_text(&terminal->keys.message));
	else if (terminal->damage)
		strbuf_puts(text, "the recording cannot be read any more; q leaves");
	else if (live->facts.is_over)
		strbuf_puts(text, "the program has ended; q leaves, ? has the keys");
	else
		strbuf_puts(text, "? has the keys");
	return strbuf_text(text);
}

static void draw_help(int height)
{
	for (int i = 0; keys_help[i] && i < height; i++)
		mvaddnstr(i, 0, keys_help[i], COLS);
}

static void draw(struct terminal *terminal)
{
	struct strbuf message = {0};
	struct frame_style style = {
		.width = COLS > 1 ? (size_t)COLS - 1 : 1,
		.height = LINES > 0 ? (size_t)LINES : 1,
		.rows_most = LINES > 0 ? (size_t)LINES : 1,
		.utf8 = terminal->utf8,
		.is_frozen = terminal->keys.is_frozen,
	};

	style.message = message_of(terminal, &message);
	frame_done(&terminal->frame);
	frame_make(&terminal->frame, &terminal->top->live, &style);
	strbuf_free(&message);
	terminal->keys.page = terminal->frame.row_count;
	if (terminal->keys.selected >= terminal->frame.row_count)
		terminal->keys.selected =
			terminal->frame.row_count ? terminal->frame.row_count - 1 : 0;
	erase();
	if (terminal->keys.has_help)
		draw_help(LINES);
	else
		for (size_t i = 0; i < terminal->frame.line_count; i++)
			put_line(terminal, (int)i, terminal->frame.lines[i],
				 look_of(terminal, i));
	refresh();
}

static int key_of(int key)
{
	switch (key) {
	case KEY_UP:
		return KEYS_UP;
	case KEY_DOWN:
		return KEYS_DOWN;
	case KEY_PPAGE:
		return KEYS_PAGE_UP;
	case KEY_NPAGE:
		return KEYS_PAGE_DOWN;
	case KEY_HOME:
		return KEYS_FIRST;
	case KEY_ENTER:
	case '\r':
	case '\n':
		return KEYS_ENTER;
	case KEY_BACKSPACE:
	case 0x7f:
	case '\b':
		return KEYS_BACK;
	case 0x1b:
		return KEYS_ESCAPE;
	default:
		return key;
	}
}

#define REDRAW 0x0c /* control and l */

static void press(struct terminal *terminal, int key)
{
	const struct frame *frame = &terminal->frame;
	bool has_row = terminal->keys.selected < frame->row_count;

	keys_press(&terminal->keys, terminal->top, key_of(key),
		   has_row ? frame->paths[terminal->keys.selected] : 0);
}

/* Whether the terminal was closed: it has no settings then. */
static bool is_gone(void)
{
	struct termios settings;

	return tcgetattr(STDIN_FILENO, &settings) < 0;
}

/* Handles keys until the next look, and shows the result of each at once. */
static void wait_for_keys(struct terminal *terminal, unsigned wait_ms)
{
	uint64_t end_ns = ticks_monotonic_ns() + wait_ms * 1000000ull, now_ns;

	while (!terminal->keys.is_done && (now_ns = ticks_monotonic_ns()) < end_ns) {
		int key;

		timeout((int)((end_ns - now_ns + 999999) / 1000000));
		key = getch();
		if (key == ERR) { /* nothing was pressed: the screen stays as it is */
			terminal->keys.is_done = is_gone();
			continue;
		}
		if (key == REDRAW)
			clearok(curscr, TRUE);
		else if (key != KEY_RESIZE)
			press(terminal, key);
		draw(terminal);
	}
}

/* A view of a run.db continues with the next run recorded into it. */
static void look_for_next(struct terminal *terminal)
{
	struct live *live = &terminal->top->live;
	struct keys *keys = &terminal->keys;
	struct source next;

	if (!live->facts.is_over || keys->is_frozen || keys->is_typing ||
	    keys->has_help || !source_next(terminal->top->word, &live->source, &next))
		return;
	live_follow(live, &next);
	terminal->damage = 0;
	keys->selected = 0;
	strbuf_reset(&keys->message);
	strbuf_puts(&keys->message, "a new run has begun");
}

static bool goes_on(const struct terminal *terminal, long looks)
{
	return !terminal->keys.is_done &&
	       (!terminal->top->count || looks < terminal->top->count);
}

static void watch(struct terminal *terminal)
{
	struct top *top = terminal->top;

	for (long looks = 0; goes_on(terminal, looks); looks++) {
		bool is_still;
		uint64_t began_ns;

		look_for_next(terminal);
		is_still = terminal->keys.is_frozen || terminal->damage ||
			   top->live.facts.is_over;

		if (!is_still && top_look(top) < 0)
			terminal->damage = 1;
		began_ns = top_cpu_ns();
		draw(terminal);
		if (!is_still)
			top_add_cost(top, began_ns);
		wait_for_keys(terminal, is_still ? ENDED_MS : top_pause_ms(top));
	}
}

/* Dumb terminals cannot move the cursor back to a line. */
static bool can_move(void)
{
	const char *move_text = tigetstr("cup");

	return move_text && move_text != (const char *)-1;
}

bool terminal_run(struct top *top)
{
	struct terminal terminal = {.top = top,
				    .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
	SCREEN *screen = newterm(NULL, stdout, stdin);

	if (!screen)
		return false;
	if (!can_move()) {
		endwin();
		delscreen(screen);
		return false;
	}
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	curs_set(0);
	watch(&terminal);
	endwin();
	delscreen(screen);
	frame_done(&terminal.frame);
	strbuf_free(&terminal.keys.message);
	return true;
}
