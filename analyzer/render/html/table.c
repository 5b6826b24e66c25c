/* SPDX-License-Identifier: MIT */
/*
 * Tables. Numbers carry their sort key (data-v) and, if they are estimates, their error
 * in words. Must not be wider than the page: wide tables scroll by themselves.
 */
#include "analyzer/render/html/html.h"

#include "common/base/xalloc.h"
#include "analyzer/render/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_WIDTH 320
#define NAME_WIDTH 160
#define DEEPEST 20 /* levels drawn; deeper ones get a number */
#define BAR_WIDTH 48

static bool is_shown(const struct column *column)
{
	return !(column->flags & (COLUMN_MACHINE | COLUMN_DETAIL));
}

static bool is_code(enum column_type type)
{
	return type == COLUMN_NAME || type == COLUMN_CHAIN || type == COLUMN_LOCATION ||
	       type == COLUMN_FILE;
}

/* Order of columns: what a row is about, the sort column, the change, and the others. */
struct layout {
	size_t *columns, count; /* shown columns, by index in the table */
	int sorted;		/* none: -1 */
	int bars;		/* the column that has them, none: -1 */
	double most;		/* what is a whole bar */
};

/* If the table does not say how it is sorted: by the first number that never grows. */
static bool is_descending(const struct table *table, size_t column)
{
	double last = INFINITY;

	if (!column_is_number(table, column) || table->row_count < 2)
		return false;
	for (size_t i = 0; i < table->row_count; i++) {
		const struct cell *cell = &table_row(table, i)[column];
		double value = cell->kind == CELL_NULL ? -INFINITY : cell_number(cell);

		if (!(value <= last))
			return false;
		last = value;
	}
	return last < cell_number(&table_row(table, 0)[column]);
}

static void put_first(struct layout *layout, size_t column)
{
	size_t i = 0;

	while (i < layout->count && layout->columns[i] != column)
		i++;
	if (i == layout->count)
		return;
	memmove(layout->columns + 1, layout->columns, i * sizeof(*layout->columns));
	layout->columns[0] = column;
}

static double most_of(const struct table *table, size_t column)
{
	double most = 0;

	for (size_t i = 0; i < table->row_count; i++)
		most = fmax(most, cell_number(&table_row(table, i)[column]));
	return most > 0 ? most : 1;
}

static struct layout layout_of(const struct section *section)
{
	const struct table *table = section->table;
	struct layout layout = {xcalloc(table->column_count + 1, sizeof(size_t)), 0, -1,
				-1, 100};
	int name = -1, percent = -1, verdict = -1;
	bool is_told = false;

	for (size_t i = 0; i < table->column_count; i++) {
		if (!is_shown(&table->columns[i]))
			continue;
		layout.columns[layout.count++] = i;
		if (name < 0 && table->columns[i].type == COLUMN_NAME)
			name = (int)i;
		if (percent < 0 && table->columns[i].type == COLUMN_PERCENT)
			percent = (int)i;
		if (strcmp(column_title(&table->columns[i]), "verdict") == 0)
			verdict = (int)i;
		is_told |= (table->columns[i].flags & COLUMN_SORTED) != 0;
		if (table->columns[i].flags & COLUMN_SORTED ||
		    (layout.sorted < 0 && !is_told && !section->depth_column &&
		     is_descending(table, i)))
			layout.sorted = (int)i;
	}
	name = name < 0 && layout.count ? (int)layout.columns[0] : name;
	layout.bars = layout.sorted < 0 ? percent : layout.sorted;
	if (layout.sorted >= 0 && layout.sorted != percent)
		layout.most = most_of(table, (size_t)layout.sorted);
	if (verdict >= 0)
		put_first(&layout, (size_t)verdict);
	if (layout.sorted >= 0)
		put_first(&layout, (size_t)layout.sorted);
	if (name >= 0)
		put_first(&layout, (size_t)name);
	return layout;
}

/* Narrow pages only show the side after and the verdict. */
static bool is_for_wide(const struct table *table, size_t column)
{
	return table_column(table, "verdict") >= 0 &&
	       strncmp(table->columns[column].name, "before", strlen("before")) == 0;
}

static void put_classes(struct html_page *page, const struct table *table, size_t column,
			bool is_estimate)
{
	fprintf(page->out, " class=\"%s%s%s\"",
		column_is_number(table, column) ? "n" : "",
		is_estimate ? " estimate" : "",
		is_for_wide(table, column) ? " wide" : "");
}

static void put_heading(struct html_page *page, const struct table *table, size_t column,
			bool is_sorted)
{
	fputs("<th scope=\"col\"", page->out);
	put_classes(page, table, column, false);
	fprintf(page->out, "%s data-name=\"",
		is_sorted ? " aria-sort=\"descending\"" : "");
	html_put(page, table->columns[column].name);
	fputs("\">", page->out);
	html_put(page, *column_title(&table->columns[column])
			       ? column_title(&table->columns[column])
			       : table->columns[column].name);
	fputs("</th>", page->out);
}

static void put_header(struct html_page *page, const struct table *table,
		       const struct layout *layout)
{
	fputs("<thead><tr>", page->out);
	for (size_t i = 0; i < layout->count; i++)
		put_heading(page, table, layout->columns[i],
			    (int)layout->columns[i] == layout->sorted);
	fputs("</tr></thead>\n", page->out);
}

static void put_bar(struct html_page *page, double percent)
{
	percent = fmin(fmax(percent, 0), 100);

	fprintf(page->out,
		"<svg class=\"bar\" width=\"%d\" height=\"8\" aria-hidden=\"true\">"
		"<rect width=\"%.1f\" height=\"8\"/></svg>",
		BAR_WIDTH, percent * BAR_WIDTH / 100);
}

static void put_depth(struct html_page *page, const struct section *section, size_t row)
{
	double depth = section->depth_column
			       ? cell_number(table_cell(section->table, row,
							section->depth_column))
			       : 1;

	if (!(depth > 1))
		return;
	fprintf(page->out, "<span class=\"deep\">%.*s</span>",
		3 * (int)fmin(depth - 1, DEEPEST),
		"\u2003\u2003\u2003\u2003\u2003\u2003\u2003\u2003\u2003\u2003"
		"\u2003\u2003\u2003\u2003\u2003\u2003\u2003\u2003\u2003\u2003");
	if (depth - 1 > DEEPEST)
		fprintf(page->out, "+%.0f ", depth - 1 - DEEPEST);
}

static void put_text(struct html_page *page, const struct cell *cell,
		     const struct cell *error, enum column_type type)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	if (error)
		cell_with_error(&text, cell, error, type, &page->style);
	else
		cell_shortened(&text, cell, type,
			       type == COLUMN_CHAIN  ? CHAIN_WIDTH
			       : type == COLUMN_NAME ? NAME_WIDTH
						     : SIZE_MAX / 2,
			       &page->style);
	if (cell->kind == CELL_NULL && type == COLUMN_CHAIN)
		strbuf_reset(&text);
	if (is_code(type) && cell->kind != CELL_NULL)
		html_put_element(page, "code", NULL, strbuf_text(&text));
	else
		html_put(page, strbuf_text(&text));
}

/* Details go below the name. */
static void put_details(struct html_page *page, const struct table *table, size_t row)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct cell *cell = &table_row(table, row)[i];
		struct strbuf text = {0};

		if (!(table->columns[i].flags & COLUMN_DETAIL) ||
		    table->columns[i].flags & COLUMN_MACHINE || cell->kind == CELL_NULL)
			continue;
		cell_for_people(&text, cell, table->columns[i].type, &page->style);
		html_put_element(page, "div", "foot", strbuf_text(&text));
	}
}

/* Returns whether the value is not known. */
static bool put_cell(struct html_page *page, const struct section *section, size_t row,
		     const struct layout *layout, size_t place)
{
	size_t column = layout->columns[place];
	bool is_leading = place == 0;
	const struct table *table = section->table;
	const struct cell *cells = table_row(table, row), *cell = &cells[column];
	enum column_type type = table->columns[column].type;
	int at = table_error_column(table, column);
	const struct cell *error = at < 0 ? NULL : &cells[at];
	bool is_unknown = error && cell_is_unknown(cell, error, type);
	bool is_estimate = error && cell_number(error) > 0 && !is_unknown;

	fputs(is_leading ? "<th scope=\"row\"" : "<td", page->out);
	put_classes(page, table, column, is_estimate);
	if (cell->kind == CELL_INTEGER || cell->kind == CELL_REAL)
		fprintf(page->out, " data-v=\"%.17g\"", cell_number(cell));
	fputc('>', page->out);
	if (type == COLUMN_NAME)
		put_depth(page, section, row);
	put_text(page, cell, error, type);
	if ((int)column == layout->bars && cell->kind != CELL_NULL)
		put_bar(page, 100 * cell_number(cell) / layout->most);
	if (is_leading && !section->about &&
	    (at = table_column(table, "function_id")) >= 0)
		html_put_about(page, cell_whole(&cells[at]));
	if (is_leading)
		put_details(page, table, row);
	fputs(is_leading ? "</th>" : "</td>", page->out);
	return is_unknown;
}

/* Marks changes that are not proven; for functions the script adds a way to callers. */
static void put_row_start(struct html_page *page, const struct table *table, size_t row)
{
	int verdict = table_column(table, "verdict");
	int function = table_column(table, "function_id");
	const struct cell *cell = verdict < 0 ? NULL : &table_row(table, row)[verdict];

	fputs("<tr", page->out);
	if (function >= 0)
		fprintf(page->out, " data-function=\"%lld\"",
			(long long)cell_whole(&table_row(table, row)[function]));
	if (cell && cell->kind == CELL_TEXT) {
		fputs(" data-verdict=\"", page->out);
		html_put(page, cell->text);
		fputc('"', page->out);
	} else if (cell) {
		fputs(" data-verdict=\"\"", page->out);
	}
	fputc('>', page->out);
}

static void put_below(struct html_page *page, const char *text)
{
	html_put_element(page, "p", "foot", text);
	fputs(text ? "\n" : "", page->out);
}

void html_put_table(struct html_page *page, const struct section *section)
{
	const struct table *table = section->table;
	struct layout layout = layout_of(section);
	bool has_unknown = false;

	/* in a tree the order of rows shows what belongs to what */
	fprintf(page->out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
			   "aria-label=\"Table: ");
	html_put(page, section->title ? section->title : section->name);
	fprintf(page->out, "\"><table%s>\n",
		section->depth_column ? "" : " class=\"sorted\"");
	put_header(page, table, &layout);
	fputs("<tbody>\n", page->out);
	for (size_t i = 0; i < table->row_count; i++) {
		put_row_start(page, table, i);
		for (size_t j = 0; j < layout.count; j++)
			has_unknown |= put_cell(page, section, i, &layout, j);
		fputs("</tr>\n", page->out);
	}
	fputs("</tbody></table></div>\n", page->out);
	put_below(page, section->footer);
	put_below(page, has_unknown ? CELL_UNKNOWN : NULL);
}
