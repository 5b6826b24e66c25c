/* SPDX-License-Identifier: MIT */
/*
 * Tables. A number carries what it is sorted by (data-v) and, when it is an estimate, its
 * error in words. Must not be wider than the page: what is too wide scrolls by itself.
 */
#include "analyzer/render/html/html.h"

#include "analyzer/render/cell.h"

#include <math.h>

#define CHAIN_WIDTH 320
#define NAME_WIDTH 160
#define DEEPEST 20 /* levels drawn; deeper ones get a number */
#define BAR_WIDTH 48

static bool is_shown(const struct column *column)
{
	return !(column->flags & COLUMN_MACHINE);
}

static bool is_code(enum column_type type)
{
	return type == COLUMN_NAME || type == COLUMN_CHAIN || type == COLUMN_LOCATION ||
	       type == COLUMN_FILE;
}

/* The column that says what a row is of; else the first one shown. */
static size_t leading_column(const struct table *table)
{
	size_t first = table->column_count;

	for (size_t i = 0; i < table->column_count; i++) {
		if (!is_shown(&table->columns[i]))
			continue;
		if (table->columns[i].type == COLUMN_NAME)
			return i;
		first = first < i ? first : i;
	}
	return first;
}

static void put_heading(struct html_page *page, const struct table *table, size_t column)
{
	fprintf(page->out, "<th scope=\"col\"%s data-name=\"",
		column_is_number(table, column) ? " class=\"n\"" : "");
	html_put(page, table->columns[column].name);
	fputs("\">", page->out);
	html_put(page, *column_title(&table->columns[column])
			       ? column_title(&table->columns[column])
			       : table->columns[column].name);
	fputs("</th>", page->out);
}

static void put_header(struct html_page *page, const struct table *table, size_t leading)
{
	fputs("<thead><tr>", page->out);
	put_heading(page, table, leading);
	for (size_t i = 0; i < table->column_count; i++)
		if (i != leading && is_shown(&table->columns[i]))
			put_heading(page, table, i);
	fputs("</tr></thead>\n", page->out);
}

/* A share is a bar, too. */
static void put_bar(struct html_page *page, const struct cell *cell)
{
	double percent = fmin(fmax(cell_number(cell), 0), 100);

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
	struct strbuf text = {0};

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
	strbuf_free(&text);
}

/* Returns whether it is not known. */
static bool put_cell(struct html_page *page, const struct section *section, size_t row,
		     size_t column, bool is_leading)
{
	const struct table *table = section->table;
	const struct cell *cells = table_row(table, row), *cell = &cells[column];
	enum column_type type = table->columns[column].type;
	int at = table_error_column(table, column);
	const struct cell *error = at < 0 ? NULL : &cells[at];
	bool is_unknown = error && cell_is_unknown(cell, error, type);
	bool is_estimate = error && cell_number(error) > 0 && !is_unknown;

	fputs(is_leading ? "<th scope=\"row\"" : "<td", page->out);
	if (column_is_number(table, column))
		fprintf(page->out, " class=\"n%s\"", is_estimate ? " estimate" : "");
	if (cell->kind == CELL_INTEGER || cell->kind == CELL_REAL)
		fprintf(page->out, " data-v=\"%.17g\"", cell_number(cell));
	fputc('>', page->out);
	if (type == COLUMN_NAME)
		put_depth(page, section, row);
	put_text(page, cell, error, type);
	if (type == COLUMN_PERCENT && cell->kind != CELL_NULL)
		put_bar(page, cell);
	if (is_leading && !section->about &&
	    (at = table_column(table, "function_id")) >= 0)
		html_put_about(page, cell_whole(&cells[at]));
	fputs(is_leading ? "</th>" : "</td>", page->out);
	return is_unknown;
}

/* What a comparison could not prove looks like it. */
static void put_row_start(struct html_page *page, const struct table *table, size_t row)
{
	int verdict = table_column(table, "verdict");
	const struct cell *cell = verdict < 0 ? NULL : &table_row(table, row)[verdict];

	fputs("<tr", page->out);
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
	size_t leading = leading_column(table);
	bool has_unknown = false;

	if (leading == table->column_count)
		return;
	/* a tree says by its order who belongs to whom */
	fprintf(page->out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
			   "aria-label=\"Table: ");
	html_put(page, section->title ? section->title : section->name);
	fprintf(page->out, "\"><table%s>\n",
		section->depth_column ? "" : " class=\"sorted\"");
	put_header(page, table, leading);
	fputs("<tbody>\n", page->out);
	for (size_t i = 0; i < table->row_count; i++) {
		put_row_start(page, table, i);
		has_unknown |= put_cell(page, section, i, leading, true);
		for (size_t j = 0; j < table->column_count; j++)
			if (j != leading && is_shown(&table->columns[j]))
				has_unknown |= put_cell(page, section, i, j, false);
		fputs("</tr>\n", page->out);
	}
	fputs("</tbody></table></div>\n", page->out);
	put_below(page, section->footer);
	put_below(page, has_unknown ? CELL_UNKNOWN : NULL);
}
