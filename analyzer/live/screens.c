/* SPDX-License-Identifier: MIT */
/* The screens, and the queries for their rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/document/doc.h"
#include "analyzer/live/show.h"
#include "analyzer/model/units.h"
#include "analyzer/render/cell.h"
#include "analyzer/render/render.h"
#include "analyzer/reports/engine/columns.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "screens.sql.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct screen screens[] = {
	{"function", "Functions", 'f', 0, screens_sql_functions,
	 screens_sql_functions_of_paths},
	{"path", "Call paths", 'p', 0, screens_sql_paths, NULL},
	{"thread", "Threads", 't', 2, screens_sql_threads, NULL},
	{"site", "Allocation sites", 'a', 0, screens_sql_sites, NULL},
	{"io", "Reading and writing", 'i', 2, screens_sql_io, NULL},
	{"step", "Steps and counters", 's', 0, screens_sql_steps, NULL},
};

const struct screen *const screen_registry = screens;
const size_t screen_registry_count = COUNT(screens);

const struct screen *screen_find(const char *name)
{
	for (size_t i = 0; i < COUNT(screens); i++)
		if (strcmp(screens[i].name, name) == 0)
			return &screens[i];
	return NULL;
}

const struct screen *screen_of_key(int key)
{
	for (size_t i = 0; i < COUNT(screens); i++)
		if (screens[i].key == key)
			return &screens[i];
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

static size_t sort_of(const struct live *live)
{
	return live->sort >= 0 ? (size_t)live->sort : live->screen->sort;
}

void screen_sort_by_next(struct live *live, int direction)
{
	struct table *table = screen_table(live, 0, NULL);
	size_t count = table->column_count, at = sort_of(live);

	for (size_t i = 0; i < count; i++) {
		at = (at + count + (size_t)direction) % count;
		if (is_number(&table->columns[at]) &&
		    !(table->columns[at].flags & COLUMN_MACHINE))
			break;
	}
	live->sort = (int)at;
	table_free(table);
}

const struct column *screen_sorted_by(const struct live *live, const struct table *table)
{
	return &table->columns[sort_of(live)];
}

/* Equal rows keep their order, so that they do not jump about. */
static char *query_of(const struct live *live)
{
	const struct screen *screen = live->screen;
	bool is_of_paths = live->zoom || live->is_of_process;
	const char *sql =
		is_of_paths && screen->sql_of_paths ? screen->sql_of_paths : screen->sql;

	return xasprintf("SELECT * FROM (%s) ORDER BY %zu %s NULLS LAST LIMIT :most", sql,
			 sort_of(live) + 1, live->is_reversed ? "ASC" : "DESC");
}

static bool is_error(const struct column *column)
{
	size_t size = strlen(column->name), end = strlen("_error_ns");

	return size > end && strcmp(column->name + size - end, "_error_ns") == 0;
}

static struct cell number_cell(const struct column *column, double value)
{
	if (is_error(column))
		return value > 0 ? cell_integer(whole_number(sqrt(value)))
				 : (struct cell){.kind = CELL_NULL};
	if (column->type == COLUMN_ANY)
		return cell_real(round(value * 100) / 100);
	return column->type == COLUMN_PERCENT ? cell_real(value)
					      : cell_integer(whole_number(value));
}

static struct cell chain_cell(const struct live *live, uint32_t path, struct table *table)
{
	ended_by(strbuf_free) struct strbuf chain = {0};

	live_chain(live, path, &chain);
	return table_text(table, path ? strbuf_text(&chain) : NULL);
}

/* The value of a step is a time. */
static struct cell last_cell(struct table *table, size_t row, double value)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	if (strcmp(table_cell(table, row, "kind")->text, "step") == 0)
		units_nsec(&text, whole_number(value));
	else
		units_real(&text, value);
	return table_text(table, strbuf_text(&text));
}

static void finish_row(const struct live *live, struct table *table, size_t row,
		       uint32_t path)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		struct cell *cell = table_row(table, row) + i;

		if (column->type == COLUMN_CHAIN)
			*cell = chain_cell(live, path, table);
		else if (cell->kind == CELL_NULL)
			continue;
		else if (is_number(column))
			*cell = number_cell(column, cell_number(cell));
		else if (strcmp(column->name, "last") == 0)
			*cell = last_cell(table, row, cell_number(cell));
	}
}

struct table *screen_table(const struct live *live, size_t most, uint32_t **ret_paths)
{
	static const struct report_options options;
	struct report_input input = {.db = live->db, .options = &options};
	char *sql = query_of(live);
	struct cursor *cursor = live_query(live, sql);
	uint32_t *paths = xcalloc(most + 1, sizeof(*paths));
	struct table *table;

	cursor_bind_integer(cursor, ":most", (int64_t)most);
	table = columns_read(&input, cursor);
	if (!table) /* out of memory: our own fault */
		abort();
	for (size_t i = 0; i < table->row_count; i++) {
		paths[i] = (uint32_t)cell_whole(table_cell(table, i, "zoom"));
		finish_row(live, table, i, paths[i]);
	}
	columns_drop_hidden(table);
	free(sql);
	if (ret_paths)
		*ret_paths = paths;
	else
		free(paths);
	return table;
}

/* Makes a frame: head, the screen's table, and what is selected. */

#define HEADS 4 /* lines above the table */

static void add_line(struct frame *frame, const char *text, size_t size)
{
	frame->lines = xreallocarray(frame->lines, frame->line_count + 1, sizeof(char *));
	frame->lines[frame->line_count++] = xstrndup(text, size);
}

/* How many bytes fit. Cuts between whole parts if possible, since half a number is a
 * wrong one. */
static size_t fitting(const char *text, size_t width)
{
	size_t size = utf8_prefix(text, width), part = size;

	if (!text[size])
		return size;
	while (part && !(strchr(",;", text[part]) && text[part + 1] == ' '))
		part--;
	return part ? part : size;
}

static void add_head(struct frame *frame, const struct frame_style *style,
		     struct strbuf *text)
{
	ended_by(strbuf_free) struct strbuf clean = {0};

	utf8_clean(&clean, strbuf_text(text));
	add_line(frame, strbuf_text(&clean), fitting(strbuf_text(&clean), style->width));
	strbuf_reset(text);
}

static void put_seconds(struct strbuf *text, double seconds)
{
	units_nsec(text, whole_number(seconds * 1e9));
}

static void put_who(struct strbuf *text, const struct live *live)
{
	const struct live_facts *facts = &live->facts;

	if (facts->process_count == 1 || live->source.pid)
		strbuf_printf(text, "process %d", facts->pid);
	else
		strbuf_printf(text, "%u processes of %u", facts->living_count,
			      facts->process_count);
	if (facts->program)
		strbuf_printf(text, " %s", basename(facts->program));
	strbuf_puts(text, facts->is_over ? ", has ended; " : ", ");
	put_seconds(text, (double)facts->run_ns / 1e9);
	if (facts->is_over)
		strbuf_puts(text, " (last known state)");
	strbuf_puts(text, "; live ");
	units_bytes(text, facts->live_bytes);
	if (facts->overhead_percent > 0)
		strbuf_printf(text, "; budget %g%%", facts->overhead_percent);
	else
		strbuf_puts(text, "; no budget");
}

static void put_what(struct strbuf *text, const struct live_totals *totals)
{
	strbuf_printf(text, "%.2f computing, %.2f CPU wait of ", totals->computing,
		      totals->ready);
	units_counted(text, (int64_t)totals->thread_count, "thread");
	strbuf_puts(text, "; ");
	units_count(text, whole_number(totals->calls_per_s));
	strbuf_puts(text, " calls/s; ");
	units_count(text, whole_number(totals->allocs_per_s));
	strbuf_puts(text, " allocs/s");
}

static void put_view(struct strbuf *text, const struct live *live,
		     const struct frame_style *style, const struct table *table)
{
	const struct column *column = screen_sorted_by(live, table);

	strbuf_puts(text, live->screen->title);
	strbuf_puts(text, live->is_since_zero ? " since zero point, " : " of the last ");
	put_seconds(text, live_span_s(live));
	strbuf_puts(text, live->is_since_zero ? " ago" : "");
	strbuf_printf(text, ", by %s%s", column->title ? column->title : column->name,
		      live->is_reversed ? ", least first" : "");
	if (*live->filter)
		strbuf_printf(text, ", with '%s'", live->filter);
	if (live->zoom)
		strbuf_printf(text, ", below %s",
			      live->names[live->paths[live->zoom].function]);
	if (style->is_frozen)
		strbuf_puts(text, ", FROZEN");
}

static void add_heads(struct frame *frame, const struct live *live,
		      const struct frame_style *style, const struct table *table)
{
	struct strbuf text = {0};
	struct live_totals totals = live_totals(live);

	put_who(&text, live);
	add_head(frame, style, &text);
	put_what(&text, &totals);
	add_head(frame, style, &text);
	put_view(&text, live, style, table);
	add_head(frame, style, &text);
	strbuf_puts(&text, style->message ? style->message : "");
	add_head(frame, style, &text);
	strbuf_free(&text);
	frame->head_count = frame->line_count;
}

/* Rows take a line each; of the notes below the table only the one about "<" is useful
 * here. */
static bool is_of_use(const struct frame *frame, const char *line)
{
	return frame->line_count < frame->first_row + frame->row_count ||
	       !strncmp(line, CELL_UNKNOWN, 2);
}

/* Draws the table as reports do. */
static void add_table(struct frame *frame, const struct live *live,
		      const struct frame_style *style, struct table *table)
{
	struct render_context context = {.width = style->width, .utf8 = style->utf8};
	auto_free char *text = NULL;
	ended_by(doc_free) struct doc doc;
	size_t size;

	doc_init(&doc, "top");
	doc.names = live->pool;
	doc_table(&doc, live->screen->name, NULL, table)->flags |= SECTION_NAMES;
	context.out = open_memstream(&text, &size);
	if (!context.out)
		abort();
	render_document(renderer_registry[0], &doc, &context);
	fclose(context.out);
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\n");

		if (is_of_use(frame, at))
			add_line(frame, at, length);
		at += length + (at[length] == '\n');
	}
}

void frame_make(struct frame *ret, const struct live *live,
		const struct frame_style *style)
{
	size_t most = style->rows_most;
	struct table *table;

	*ret = (struct frame){.lines = NULL};
	if (style->height && most + HEADS + 1 > style->height)
		most = style->height > HEADS + 1 ? style->height - HEADS - 1 : 0;
	table = screen_table(live, most, &ret->paths);
	add_heads(ret, live, style, table);
	ret->row_count = table->row_count;
	ret->first_row = ret->head_count + 1;
	add_table(ret, live, style, table);
	while (style->height && ret->line_count > style->height)
		free(ret->lines[--ret->line_count]);
}

void frame_done(struct frame *frame)
{
	for (size_t i = 0; i < frame->line_count; i++)
		free(frame->lines[i]);
	free(frame->lines);
	free(frame->paths);
	*frame = (struct frame){.lines = NULL};
}
