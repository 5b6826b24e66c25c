/* SPDX-License-Identifier: MIT */
/* The list of screens; choosing rows. */
#include "analyzer/live/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

extern const struct screen screen_functions;
extern const struct screen screen_paths;
extern const struct screen screen_threads;
extern const struct screen screen_sites;
extern const struct screen screen_io;
extern const struct screen screen_steps;

const struct screen *const screen_registry[] = {&screen_functions, &screen_paths,
						&screen_threads,   &screen_sites,
						&screen_io,	   &screen_steps};
const size_t screen_registry_count = sizeof(screen_registry) / sizeof(screen_registry[0]);

const struct screen *screen_find(const char *name)
{
	for (size_t i = 0; i < screen_registry_count; i++)
		if (strcmp(screen_registry[i]->name, name) == 0)
			return screen_registry[i];
	return NULL;
}

const struct screen *screen_of_key(int key)
{
	for (size_t i = 0; i < screen_registry_count; i++)
		if (screen_registry[i]->key == key)
			return screen_registry[i];
	return NULL;
}

static bool is_number(const struct column *column)
{
	switch (column->type) {
	case COLUMN_ANY:
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_BYTES_CHANGE:
	case COLUMN_NSEC:
	case COLUMN_PERCENT:
	case COLUMN_ID:
		return true;
	default:
		return false;
	}
}

void screen_update(struct live *live)
{
	live_update(live, live->has_all_screens || live->screen->has_rates);
}

size_t screen_sort(const struct live *live)
{
	return (size_t)(live->sort >= 0 ? live->sort : live->screen->sort);
}

void screen_sort_by_next(struct live *live, int direction)
{
	size_t count = live->screen->column_count, at = screen_sort(live);

	for (size_t i = 0; i < count; i++) {
		at = (at + count + (size_t)direction) % count;
		if (is_number(&live->screen->columns[at]) &&
		    !(live->screen->columns[at].flags & COLUMN_MACHINE))
			break;
	}
	live->sort = (int)at;
}

struct pick {
	double key;
	uint32_t row;
};

/* Best first; equal ones as they came, so that rows do not jump about. */
static int by_key(const void *a, const void *b)
{
	const struct pick *left = a, *right = b;

	if (left->key != right->key)
		return left->key > right->key ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

/* The worst of the picks is on top of the heap, and gives way. */
static void sift(struct pick *picks, size_t count, size_t at)
{
	for (;;) {
		size_t worst = at, child = 2 * at + 1;

		for (size_t i = child; i < child + 2 && i < count; i++)
			if (by_key(&picks[i], &picks[worst]) > 0)
				worst = i;
		if (worst == at)
			return;
		struct pick moved = picks[at];

		picks[at] = picks[worst];
		picks[worst] = moved;
		at = worst;
	}
}

static size_t pick_rows(const struct live *live, struct pick *picks, size_t most,
			size_t *ret_total)
{
	const struct screen *screen = live->screen;
	size_t rows = screen->count(live), column = screen_sort(live), count = 0;

	*ret_total = 0;
	for (uint32_t row = 0; row < rows; row++) {
		struct pick pick = {.row = row};

		if (!screen->is_shown(live, row))
			continue;
		++*ret_total;
		pick.key = screen->number(live, row, column);
		if (isnan(pick.key))
			pick.key = -INFINITY;
		else if (live->is_reversed)
			pick.key = -pick.key;
		if (count < most) {
			picks[count++] = pick;
			for (size_t i = count / 2; count == most && i-- > 0;)
				sift(picks, count, i);
		} else if (most && by_key(&pick, &picks[0]) < 0) {
			picks[0] = pick;
			sift(picks, count, 0);
		}
	}
	qsort(picks, count, sizeof(*picks), by_key);
	return count;
}

static struct cell number_cell(const struct column *column, double value)
{
	if (isnan(value))
		return (struct cell){.kind = CELL_NULL};
	if (column->type == COLUMN_ANY)
		return cell_real(round(value * 100) / 100);
	return column->type == COLUMN_PERCENT ? cell_real(value)
					      : cell_integer(whole_number(value));
}

static void put_row(const struct live *live, uint32_t row, struct table *table)
{
	const struct screen *screen = live->screen;
	struct cell *cells = table_add_row(table);

	for (size_t i = 0; i < screen->column_count; i++)
		if (is_number(&screen->columns[i]))
			cells[i] = number_cell(&screen->columns[i],
					       screen->number(live, row, i));
	screen->put_texts(live, row, table, cells);
}

struct table *screen_table(const struct live *live, size_t most, uint32_t **ret_rows,
			   size_t *ret_total)
{
	struct pick *picks = xcalloc(most + 1, sizeof(*picks));
	struct table *table =
		table_new(live->screen->columns, live->screen->column_count);
	size_t count = pick_rows(live, picks, most, ret_total);

	*ret_rows = xcalloc(count + 1, sizeof(**ret_rows));
	for (size_t i = 0; i < count; i++) {
		(*ret_rows)[i] = picks[i].row;
		put_row(live, picks[i].row, table);
	}
	free(picks);
	return table;
}
