/* SPDX-License-Identifier: MIT */
/* Keys of the live view. */
#include "analyzer/live/show.h"

#include <string.h>
#include <time.h>

#include "collector/live/attach.h"

const char *const keys_help[] = {
	"f p t  functions, paths, threads", "a i s  allocations, I/O, steps",
	"< >    sort by the column beside", "R      least first",
	"/      what has a text; Esc: all", "Enter  zoom into the row's path",
	"Bksp   out of it; arrows select",  "z r    since now; since last look",
	"Space  freeze or resume",	    "n      take a snapshot",
	"q      leave; any key ends this",  NULL,
};

static void take_snapshot(struct keys *keys, const struct live *live)
{
	char label[32], reason[512];
	time_t now = time(NULL);
	struct tm date;
	uint32_t number;

	strftime(label, sizeof(label), "top %H:%M:%S", localtime_r(&now, &date));
	if (!live->facts.first_pid)
		strbuf_puts(&keys->message, "no snapshot: the program has ended");
	else if (attach_snapshot(live->facts.first_pid, label, &number, reason,
				 sizeof(reason)) < 0)
		strbuf_printf(&keys->message, "no snapshot: %s", reason);
	else
		strbuf_printf(&keys->message, "snapshot %u of process %d, \"%s\"", number,
			      live->facts.first_pid, label);
}

static void type(struct keys *keys, struct live *live, int key)
{
	size_t size = strlen(live->filter);

	if (key == KEYS_ENTER) {
		keys->is_typing = false;
	} else if (key == KEYS_ESCAPE) {
		keys->is_typing = false;
		*live->filter = '\0';
	} else if (key == KEYS_BACK) {
		while (size && ((unsigned char)live->filter[size - 1] & 0xc0) == 0x80)
			size--;
		live->filter[size ? size - 1 : 0] = '\0';
	} else if (key >= ' ' && key < 0x100 && key != 0x7f && size < LIVE_FILTER_MOST) {
		live->filter[size] = (char)key;
		live->filter[size + 1] = '\0';
	}
}

static void zoom(struct keys *keys, struct live *live, uint32_t path)
{
	if (!path)
		return;
	live->zoom = path;
	keys->selected = 0;
	if (live->screen->key != 'p')
		live->sort = -1;
	live->screen = screen_of_key('p');
}

static void set_zero(struct keys *keys, struct live *live)
{
	if (live->facts.is_over) { /* the last frame stays */
		strbuf_puts(&keys->message, "no zero point: the program has ended");
		return;
	}
	live_set_zero(live);
	keys->is_frozen = false;
	strbuf_puts(&keys->message, "zero point set");
}

static void show_screen(struct keys *keys, struct live *live, const struct screen *screen)
{
	live->screen = screen;
	live->sort = -1;
	live->is_reversed = false;
	keys->selected = 0;
}

static void move(struct keys *keys, int key)
{
	size_t page = keys->page ? keys->page : 1;

	if (key == KEYS_DOWN)
		keys->selected++;
	else if (key == KEYS_PAGE_DOWN)
		keys->selected += page;
	else if (key == KEYS_UP)
		keys->selected -= keys->selected > 0;
	else if (key == KEYS_PAGE_UP)
		keys->selected -= keys->selected < page ? keys->selected : page;
	else if (key == KEYS_FIRST)
		keys->selected = 0;
}

static void command(struct keys *keys, struct live *live, int key)
{
	switch (key) {
	case '<':
	case '>':
		screen_sort_by_next(live, key == '<' ? -1 : 1);
		break;
	case 'R':
		live->is_reversed = !live->is_reversed;
		break;
	case '/':
		keys->is_typing = true;
		break;
	case KEYS_ESCAPE:
		*live->filter = '\0';
		break;
	case 'z':
		set_zero(keys, live);
		break;
	case 'r':
		live->is_since_zero = false;
		break;
	case ' ':
		keys->is_frozen = !keys->is_frozen;
		break;
	case 'n':
		take_snapshot(keys, live);
		break;
	case '?':
		keys->has_help = true;
		break;
	case 'q':
		keys->is_done = true;
		break;
	default:
		move(keys, key);
	}
}

void keys_press(struct keys *keys, struct top *top, int key, uint32_t path)
{
	struct live *live = &top->live;
	const struct screen *screen = screen_of_key(key);

	strbuf_reset(&keys->message);
	if (keys->is_typing) {
		type(keys, live, key);
	} else if (keys->has_help) {
		keys->has_help = false;
	} else if (screen) {
		show_screen(keys, live, screen);
	} else if (key == KEYS_ENTER) {
		zoom(keys, live, path);
	} else if (key == KEYS_BACK) {
		if (live->zoom)
			live->zoom = live->paths[live->zoom].parent;
	} else {
		command(keys, live, key);
	}
}
