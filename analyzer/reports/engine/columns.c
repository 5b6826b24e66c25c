/* SPDX-License-Identifier: MIT */
/* Turns columns of SQL results into columns of tables. */
#include "analyzer/reports/engine/columns.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "analyzer/document/columns.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Used in this file only, besides enum column_flag. */
#define COLUMN_IF_ANY (1u << 9)
#define COLUMN_SITE (1u << 10)
#define COLUMN_MAY_BE_RAW (1u << 11)

/* Numbers that people see with four digits or a sign; reading makes them texts. */
enum figure { FIGURE_NONE, FIGURE_DIGITS, FIGURE_RATE, FIGURE_DRIFT };

struct kind {
	const char *word;
	enum column_type type;
	enum figure figure;
};

/* Types by name and by ending, longer endings first. */
static const struct kind types[] = {
	{"bytes_change", COLUMN_BYTES_CHANGE, 0},
	{"count_change", COLUMN_COUNT_CHANGE, 0},
	{"ns", COLUMN_NSEC, 0},
	{"bytes", COLUMN_BYTES, 0},
	{"percent", COLUMN_PERCENT, 0},
	{"count", COLUMN_COUNT, 0},
	{"calls", COLUMN_COUNT, 0},
	{"faults", COLUMN_COUNT, 0},
	{"id", COLUMN_ID, 0},
	{"pid", COLUMN_ID, 0},
	{"tid", COLUMN_ID, 0},
	{"rank", COLUMN_ID, 0},
	{"name", COLUMN_NAME, 0},
	{"path", COLUMN_CHAIN, 0},
	{"file", COLUMN_FILE, 0},
	{"place", COLUMN_LOCATION, 0},
	{"text", COLUMN_TEXT, 0},
	{"flag", COLUMN_FLAG, 0},
	{"any", COLUMN_ANY, 0},
	{"mean", COLUMN_FIGURE, 0},
	{"figure", COLUMN_FIGURE, FIGURE_DIGITS},
	{"rate", COLUMN_FIGURE, FIGURE_RATE},
	{"drift", COLUMN_FIGURE, FIGURE_DRIFT},
};

static const struct kind *kind_of(const char *name, bool is_type)
{
	static const struct kind text = {"text", COLUMN_TEXT, 0};
	size_t size = strlen(name);

	for (size_t i = 0; i < COUNT(types); i++) {
		size_t length = strlen(types[i].word);

		if (size < length || strcmp(name + size - length, types[i].word) != 0)
			continue;
		if (size == length || (!is_type && name[size - length - 1] == '_'))
			return &types[i];
	}
	return &text;
}

enum column_type columns_type(const char *name)
{
	return kind_of(name, false)->type;
}

static const char *raw_name(struct table *table, const char *name)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	strbuf_printf(&text, "raw_%s", name);
	return arena_copy(&table->texts, strbuf_text(&text), text.size);
}

/* Parses an SQL column name. Texts belong to the table. */
static struct column describe(const struct report_input *input, struct table *table,
			      const char *sql_name, const struct kind **ret_kind)
{
	const char *colon = strchr(sql_name, ':');
	const char *name = colon ? colon + 1 : sql_name;
	const char *type = strchr(name, '/');
	static const char marks[] = ".~>?-&^";
	static const unsigned flags[] = {COLUMN_MACHINE,   COLUMN_HUMAN,  COLUMN_DETAIL,
					 COLUMN_IF_ANY,	   COLUMN_HIDDEN, COLUMN_SITE,
					 COLUMN_MAY_BE_RAW};
	struct column column = {.flags = 0};
	const struct quantity *quantity;

	if (colon) {
		size_t size = (size_t)(colon - sql_name);

		if (size && colon[-1] == '!') {
			column.flags |= COLUMN_KEEP;
			size--;
		}
		column.title = arena_copy(&table->texts, sql_name, size);
	}
	for (const char *mark; *name && (mark = strchr(marks, *name)); name++)
		column.flags |= flags[mark - marks];
	column.name = arena_copy(&table->texts, name,
				 type ? (size_t)(type - name) : strlen(name));
	*ret_kind = kind_of(type ? type + 1 : column.name, type != NULL);
	column.type = (*ret_kind)->type;
	quantity = type ? NULL : quantity_find(column.name);
	if (quantity) {
		column.type = quantity_column_type(quantity);
		if (!column.title)
			column.title = quantity->heading;
	}
	if ((column.flags & COLUMN_MAY_BE_RAW) && input->options->raw)
		column.name = raw_name(table, column.name);
	return column;
}

/* Four digits are enough for people, and keep tables narrow. */
static void put_figure(struct strbuf *text, double value)
{
	if (fabs(value) < 1e6 && (fabs(value) >= 1000 || value == round(value)))
		units_count(text, whole_number(value));
	else
		strbuf_printf(text, "%.4g", value);
}

static struct cell figure_cell(struct table *table, double value, enum figure figure)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	if (figure == FIGURE_DRIFT) {
		value = fabs(value) < 10 ? round(value * 10) / 10 : round(value);
		strbuf_puts(&text, value > 0 ? "+" : "");
	}
	if (figure == FIGURE_RATE && value >= 1000 && value < 1e12)
		units_count(&text, whole_number(value));
	else
		put_figure(&text, value);
	strbuf_puts(&text, figure == FIGURE_DRIFT ? "%" : "");
	return table_text(table, strbuf_text(&text));
}

static void make_figures(struct table *table, size_t column, enum figure figure)
{
	for (size_t i = 0; i < table->row_count; i++) {
		struct cell *cell = table_row(table, i) + column;

		if (cell->kind == CELL_INTEGER || cell->kind == CELL_REAL)
			*cell = figure_cell(table, cell_number(cell), figure);
	}
}

/* The type as SQL gives it: paths are ids, figures are numbers or texts. */
static enum column_type read_type(enum column_type type)
{
	return type == COLUMN_CHAIN || type == COLUMN_FIGURE ? COLUMN_ANY : type;
}

static bool has_any(const struct table *table, size_t column)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct cell *cell = table_row(table, i) + column;

		if (cell->kind == CELL_TEXT ? *cell->text != '\0'
					    : cell_number(cell) != 0)
			return true;
	}
	return false;
}

/* Gives places their lines: from the column "line", or the function's definition if
 * "line_of" says so. */
static void put_lines(struct table *table)
{
	int line = table_column(table, "line"), line_of = table_column(table, "line_of");

	for (size_t i = 0; line >= 0 && i < table->row_count * table->column_count; i++) {
		const struct cell *row = table_row(table, i / table->column_count);

		if (table->columns[i % table->column_count].type != COLUMN_LOCATION)
			continue;
		table->cells[i].line = (uint32_t)cell_whole(&row[line]);
		table->cells[i].is_definition =
			line_of >= 0 && row[line_of].kind == CELL_TEXT &&
			strcmp(row[line_of].text, "function") == 0;
	}
}

/* Clears the times of rows whose times are not known. */
static void clear_untimed(struct table *table)
{
	int untimed = table_column(table, "is_untimed");

	for (size_t i = 0; untimed >= 0 && i < table->row_count * table->column_count;
	     i++) {
		enum column_type type = table->columns[i % table->column_count].type;

		if ((type == COLUMN_NSEC || type == COLUMN_PERCENT) &&
		    cell_whole(table_row(table, i / table->column_count) + untimed))
			table->cells[i].kind = CELL_NULL;
	}
}

struct table *columns_read(struct report_input *input, struct cursor *cursor)
{
	size_t count = (size_t)cursor_column_count(cursor);
	auto_free struct column *columns = xcalloc(count + 1, sizeof(*columns));
	auto_free const struct kind **kinds =
		xcalloc(count + 1, sizeof(const struct kind *));
	struct table *table = table_new(columns, count);

	for (size_t i = 0; i < count; i++) {
		const char *name = cursor_column_name(cursor, (int)i);

		columns[i] = describe(input, table, name, &kinds[i]);
		table->columns[i] = (struct column){
			.name = arena_copy(&table->texts, name, strlen(name)),
			.type = read_type(columns[i].type)};
	}
	cursor_fill(cursor, table);
	for (size_t i = 0; i < count; i++) {
		table->columns[i] = columns[i];
		if (kinds[i]->figure)
			make_figures(table, i, kinds[i]->figure);
		if ((columns[i].flags & COLUMN_IF_ANY) && !has_any(table, i))
			table->columns[i].flags |= COLUMN_MACHINE;
	}
	put_lines(table);
	clear_untimed(table);
	return table;
}

bool columns_is_site(const struct table *table, size_t column)
{
	return (table->columns[column].flags & COLUMN_SITE) != 0;
}

bool columns_is_hidden(const struct table *table, size_t column)
{
	unsigned flags = table->columns[column].flags;

	return (flags & COLUMN_HIDDEN) ||
	       ((flags & COLUMN_IF_ANY) && (flags & COLUMN_MACHINE) &&
		table_row(table, 0)[column].kind == CELL_NULL);
}

void columns_drop_hidden(struct table *table)
{
	size_t count = table->column_count, kept = 0;

	for (size_t i = 0; i < table->row_count * count; i++)
		if (!(table->columns[i % count].flags & COLUMN_HIDDEN))
			table->cells[kept++] = table->cells[i];
	kept = 0;
	for (size_t i = 0; i < count; i++)
		if (!(table->columns[i].flags & COLUMN_HIDDEN))
			table->columns[kept++] = table->columns[i];
	table->column_count = kept;
}

void columns_put(struct strbuf *text, const struct cell *cell, enum column_type type)
{
	if (cell->kind == CELL_NULL) {
		strbuf_puts(text, "not known");
		return;
	}
	if (cell->kind == CELL_TEXT) {
		utf8_clean(text, cell->text);
		return;
	}
	switch (type) {
	case COLUMN_NSEC:
		units_nsec(text, cell_whole(cell));
		break;
	case COLUMN_BYTES:
		units_bytes(text, cell_whole(cell));
		break;
	case COLUMN_PERCENT:
		units_percent(text, cell_number(cell));
		break;
	case COLUMN_COUNT:
		units_count(text, cell_whole(cell));
		break;
	default:
		if (cell->kind == CELL_REAL)
			units_real(text, cell->real);
		else
			strbuf_printf(text, "%" PRId64, cell->integer);
	}
}
