/* SPDX-License-Identifier: MIT */
/*
 * Tables and trees in columns that fit the terminal. Must not hold rendered rows: tables
 * may be large.
 *
 * Numbers keep their width; places, texts and names give way, in this order. If that is
 * not enough, the name moves to a line of its own (SECTION_STACK), or columns are left
 * out from the right and named below the table.
 */
#include "analyzer/render/style.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "analyzer/render/cell.h"

#include <stdlib.h>
#include <string.h>

#define GAP_COLUMNS 2
#define NARROW 60	/* below this names give way before numbers do */
#define READABLE 26	/* most names, and the last parts of the others */
#define FILE_COLUMNS 31 /* "tcp :65535 from 255.255.255.255" */
#define DETAIL_INDENT 4
#define DETAIL_LINES 2

struct place {
	size_t column; /* of the table */
	int error;     /* the column with its error, or -1 */
	size_t width, least;
	bool right; /* aligned */
};

struct layout {
	const struct text_style *style;
	const struct section *section;
	const struct table *table;
	struct place *places;
	size_t count;
	struct strbuf left_out;
	/* Stacked: the columns on the line above, or -1. */
	int head_name, head_location;
	bool has_unknown;      /* "<80ms" stands in a row */
	struct guides *guides; /* of a tree, else NULL */
	struct strbuf scratch, cut;
};

static bool is_tree_name(const struct layout *layout, size_t column)
{
	return layout->guides && layout->table->columns[column].type == COLUMN_NAME;
}

/* The heading, with a mark on the sort column, into layout->cut. */
static size_t put_title(struct layout *layout, size_t number)
{
	const struct column *column = &layout->table->columns[number];

	strbuf_reset(&layout->cut);
	strbuf_printf(&layout->cut, "%s%s", column_title(column),
		      column->flags & COLUMN_SORTED ? layout->style->sorted : "");
	return utf8_width(strbuf_text(&layout->cut));
}

static size_t cell_width(struct layout *layout, size_t row, const struct place *place)
{
	const struct cell *cells = table_row(layout->table, row);
	enum column_type type = layout->table->columns[place->column].type;

	strbuf_reset(&layout->scratch);
	if (place->error >= 0)
		cell_with_error(&layout->scratch, &cells[place->column],
				&cells[place->error], type, layout->style->shorten);
	else
		cell_for_people(&layout->scratch, &cells[place->column], type,
				layout->style->shorten);
	return utf8_width(strbuf_text(&layout->scratch)) +
	       (is_tree_name(layout, place->column) ? guides_indent(layout->guides, row)
						    : 0);
}

static bool has_definition(const struct table *table, size_t column)
{
	for (size_t row = 0; row < table->row_count; row++) {
		if (table_row(table, row)[column].is_definition)
			return true;
	}
	return false;
}

/* Sockets' peers and pipes have no directories to drop. Long ones (IPv6) lose their
 * middle, since both ends have the ports. */
static size_t widest_without_directory(struct layout *layout, const struct place *place)
{
	size_t widest = 0;

	for (size_t row = 0; row < layout->table->row_count; row++) {
		const struct cell *cell = &table_row(layout->table, row)[place->column];
		size_t width = cell_width(layout, row, place);

		if (cell->kind == CELL_TEXT && !strchr(cell->text, '/') && width > widest)
			widest = width;
	}
	return widest < FILE_COLUMNS ? widest : FILE_COLUMNS;
}

/* The least width of a column. */
static size_t least_width(struct layout *layout, const struct place *place)
{
	size_t title = put_title(layout, place->column);
	size_t least, widest;

	switch (layout->table->columns[place->column].type) {
	case COLUMN_FILE:
		widest = widest_without_directory(layout, place);
		least = widest > 12 ? widest : 12;
		break;
	case COLUMN_LOCATION:
		least = 12 + (has_definition(layout->table, place->column)
				      ? sizeof(CELL_OF_FUNCTION) - 1
				      : 0);
		break;
	case COLUMN_TEXT:
		/* Short texts (dates, labels) mean nothing when cut. */
		least = place->width <= 16 ? place->width : 10;
		break;
	case COLUMN_ANY:
		least = place->right ? place->width : 10;
		break;
	case COLUMN_NAME:
		least = layout->section->flags & SECTION_NAMES ? READABLE
			: layout->style->width < NARROW	       ? 14
							       : 20;
		break;
	case COLUMN_CHAIN:
		least = READABLE;
		break;
	default:
		return place->width;
	}
	least = least > title ? least : title;
	return least < place->width ? least : place->width;
}

static void measure(struct layout *layout)
{
	const struct table *table = layout->table;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		struct place *place;

		if (column->flags & (COLUMN_MACHINE | COLUMN_DETAIL))
			continue;
		place = &layout->places[layout->count++];
		*place = (struct place){.column = i,
					.error = table_error_column(table, i),
					.width = put_title(layout, i),
					.right = column_is_number(table, i)};
		for (size_t row = 0; row < table->row_count; row++) {
			size_t width = cell_width(layout, row, place);

			if (width > place->width)
				place->width = width;
		}
		place->least = least_width(layout, place);
	}
}

static size_t total_width(const struct layout *layout)
{
	size_t total = 0;

	for (size_t i = 0; i < layout->count; i++)
		total += layout->places[i].width + (i ? GAP_COLUMNS : 0);
	return total;
}

/* Takes width from the columns of one type, the widest first. */
static void squeeze(struct layout *layout, enum column_type type)
{
	size_t total = total_width(layout);

	while (total > layout->style->width) {
		struct place *widest = NULL;

		for (size_t i = 0; i < layout->count; i++) {
			struct place *place = &layout->places[i];

			if (layout->table->columns[place->column].type == type &&
			    place->width > place->least &&
			    (!widest || place->width > widest->width))
				widest = place;
		}
		if (!widest)
			return;
		/* Very wide ones at once: one column at a time would take long. */
		if (widest->width > 4 * layout->style->width) {
			total -= widest->width - 4 * layout->style->width;
			widest->width = 4 * layout->style->width;
		} else {
			widest->width--;
			total--;
		}
	}
}

static void squeeze_all(struct layout *layout)
{
	static const enum column_type order[] = {COLUMN_LOCATION, COLUMN_FILE,
						 COLUMN_TEXT,	  COLUMN_ANY,
						 COLUMN_NAME,	  COLUMN_CHAIN};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		squeeze(layout, order[i]);
}

static void remove_place(struct layout *layout, size_t index)
{
	layout->count--;
	memmove(&layout->places[index], &layout->places[index + 1],
		(layout->count - index) * sizeof(*layout->places));
}

/* In a tree lines are left out first: names and numbers say more. */
static void leave_lines_out(struct layout *layout)
{
	squeeze(layout, COLUMN_LOCATION);
	for (size_t i = layout->count; i-- > 0;)
		if (total_width(layout) > layout->style->width &&
		    layout->table->columns[layout->places[i].column].type ==
			    COLUMN_LOCATION)
			remove_place(layout, i);
}

/* Moves name and place of a function to a line above the numbers. */
static void stack(struct layout *layout)
{
	for (size_t i = layout->count; i-- > 0;) {
		size_t column = layout->places[i].column;

		if (layout->table->columns[column].type == COLUMN_NAME)
			layout->head_name = (int)column;
		else if (layout->table->columns[column].type == COLUMN_LOCATION)
			layout->head_location = (int)column;
		else
			continue;
		remove_place(layout, i);
	}
}

/* Leaves out the last column that may go, or else the last one. */
static void leave_one_out(struct layout *layout)
{
	size_t chosen = layout->count - 1;
	const struct column *column;
	struct strbuf names = {0};

	for (size_t i = layout->count; i-- > 0;)
		if (!(layout->table->columns[layout->places[i].column].flags &
		      COLUMN_KEEP)) {
			chosen = i;
			break;
		}
	column = &layout->table->columns[layout->places[chosen].column];
	/* Added in front, as columns are left out from the right. */
	strbuf_printf(&names, "%s%s%s", column_title(column),
		      layout->left_out.size ? ", " : "", strbuf_text(&layout->left_out));
	strbuf_free(&layout->left_out);
	layout->left_out = names;
	remove_place(layout, chosen);
}

static void fit(struct layout *layout)
{
	if (layout->section->depth_column)
		leave_lines_out(layout);
	squeeze_all(layout);
	if (total_width(layout) > layout->style->width &&
	    (layout->section->flags & SECTION_STACK))
		stack(layout);
	while (total_width(layout) > layout->style->width && layout->count > 1)
		leave_one_out(layout);
	/* A single column is cut, whatever it is. */
	if (layout->count == 1 && layout->places[0].width > layout->style->width)
		layout->places[0].width = layout->style->width;
	/* The width of left out columns goes to the names. */
	for (size_t i = 0; i < layout->count && layout->left_out.size; i++) {
		struct place *place = &layout->places[i];
		size_t total = total_width(layout);
		enum column_type type = layout->table->columns[place->column].type;

		if ((type == COLUMN_NAME || type == COLUMN_CHAIN) &&
		    total < layout->style->width)
			place->width += layout->style->width - total;
	}
}

static void put_padded(const struct layout *layout, const struct place *place,
		       const char *text, size_t columns, bool last)
{
	size_t padding = place->width > columns ? place->width - columns : 0;
	FILE *out = layout->style->out;

	if (place->right)
		fprintf(out, "%*s%s", (int)padding, "", text);
	else
		fprintf(out, "%s%*s", text, last ? 0 : (int)padding, "");
	if (!last)
		fprintf(out, "%*s", GAP_COLUMNS, "");
}

static void put_header(struct layout *layout)
{
	fputs(layout->style->dim, layout->style->out);
	for (size_t i = 0; i < layout->count; i++) {
		const struct place *place = &layout->places[i];

		put_title(layout, place->column);
		strbuf_reset(&layout->scratch);
		strbuf_puts(&layout->scratch, strbuf_text(&layout->cut));
		strbuf_reset(&layout->cut);
		shorten_end(&layout->cut, strbuf_text(&layout->scratch), place->width,
			    layout->style->shorten);
		put_padded(layout, place, strbuf_text(&layout->cut),
			   utf8_width(strbuf_text(&layout->cut)), i + 1 == layout->count);
	}
	fprintf(layout->style->out, "%s\n", layout->style->off);
}

/* Whether the cut name in layout->cut needed letters to be unique. */
static bool has_letters(const struct layout *layout)
{
	const char *mark = layout->style->shorten->ellipsis;
	const char *text = strbuf_text(&layout->cut), *at = strrchr(text, '@');
	size_t size = strlen(mark);

	return at && (size_t)(at - text) >= size && memcmp(at - size, mark, size) == 0;
}

/* Letters mean nothing to people: then the row has the most telling part of the name, and
 * its whole goes on a line below. */
static const struct cell *put_name(struct layout *layout, const struct cell *cell,
				   size_t width)
{
	struct shorten_style plain = *layout->style->shorten;
	size_t begin = layout->cut.size;

	cell_shortened(&layout->cut, cell, COLUMN_NAME, width, layout->style->shorten);
	if (cell->kind != CELL_TEXT || begin || !has_letters(layout))
		return NULL;
	plain.names = NULL;
	strbuf_reset(&layout->cut);
	cell_shortened(&layout->cut, cell, COLUMN_NAME, width, &plain);
	return cell;
}

static void put_name_below(struct layout *layout, const struct cell *cell)
{
	const struct text_style *style = layout->style;

	strbuf_reset(&layout->cut);
	cell_shortened(&layout->cut, cell, COLUMN_NAME, style->width - DETAIL_INDENT,
		       style->shorten);
	fprintf(style->out, "%*s%s%s%s\n", DETAIL_INDENT, "", style->dim,
		strbuf_text(&layout->cut), style->off);
}

static bool is_detail(const struct layout *layout, size_t row, size_t column)
{
	unsigned flags = layout->table->columns[column].flags;

	return flags & COLUMN_DETAIL && !(flags & COLUMN_MACHINE) &&
	       table_row(layout->table, row)[column].kind == CELL_TEXT;
}

/* The first detail stands behind the name that ends the row, if it is a text that fits
 * there. at: where the row ends. Returns the detail's column, or the table's count. */
static size_t put_beside(struct layout *layout, size_t row, size_t at)
{
	const struct text_style *style = layout->style;
	const struct table *table = layout->table;
	const struct place *last = &layout->places[layout->count - 1];
	size_t column = 0;
	const char *text;

	while (column < table->column_count && !is_detail(layout, row, column))
		column++;
	if (column == table->column_count || last->right || layout->head_name >= 0 ||
	    table->columns[last->column].type != COLUMN_NAME ||
	    table->columns[column].type == COLUMN_CHAIN)
		return table->column_count;
	text = table_row(table, row)[column].text;
	if (at + GAP_COLUMNS + utf8_width(text) > style->width)
		return table->column_count;
	fprintf(style->out, "%*s%s%s%s", GAP_COLUMNS, "", style->dim, text, style->off);
	return column;
}

/* Returns the column of the detail that is in the row, or the table's count. */
static size_t put_row(struct layout *layout, size_t row)
{
	const struct cell *cells = table_row(layout->table, row), *below = NULL;
	size_t at = 0, beside = layout->table->column_count;

	for (size_t i = 0; i < layout->count; i++) {
		const struct place *place = &layout->places[i];
		enum column_type type = layout->table->columns[place->column].type;
		size_t guides = 0;

		strbuf_reset(&layout->cut);
		if (is_tree_name(layout, place->column))
			guides = guides_add(layout->guides, row, place->width,
					    &layout->cut);
		if (place->error >= 0) {
			cell_with_error(&layout->cut, &cells[place->column],
					&cells[place->error], type,
					layout->style->shorten);
			layout->has_unknown |= cell_is_unknown(
				&cells[place->column], &cells[place->error], type);
		} else if (type == COLUMN_NAME && !guides) {
			const struct cell *lettered =
				put_name(layout, &cells[place->column], place->width);

			below = lettered ? lettered : below;
		} else {
			cell_shortened(&layout->cut, &cells[place->column], type,
				       place->width > guides ? place->width - guides : 1,
				       layout->style->shorten);
		}
		put_padded(layout, place, strbuf_text(&layout->cut),
			   utf8_width(strbuf_text(&layout->cut)), i + 1 == layout->count);
		at += i + 1 == layout->count ? utf8_width(strbuf_text(&layout->cut))
					     : place->width + GAP_COLUMNS;
	}
	if (!below)
		beside = put_beside(layout, row, at);
	fputc('\n', layout->style->out);
	if (below)
		put_name_below(layout, below);
	return beside;
}

/* "name                                              file.c:12" */
static void put_head(struct layout *layout, size_t row)
{
	const struct text_style *style = layout->style;
	const struct cell *cells = table_row(layout->table, row);
	size_t location = 0, name;

	strbuf_reset(&layout->scratch);
	if (layout->head_location >= 0 &&
	    cells[layout->head_location].kind != CELL_NULL) {
		cell_shortened(&layout->scratch, &cells[layout->head_location],
			       COLUMN_LOCATION, style->width / 3, style->shorten);
		location = utf8_width(strbuf_text(&layout->scratch)) + GAP_COLUMNS;
	}
	strbuf_reset(&layout->cut);
	cell_shortened(&layout->cut, &cells[layout->head_name], COLUMN_NAME,
		       style->width - location, style->shorten);
	name = utf8_width(strbuf_text(&layout->cut));
	fprintf(style->out, "%s%s%s", style->bold, strbuf_text(&layout->cut), style->off);
	if (location)
		fprintf(style->out, "%*s%s%s%s",
			(int)(style->width - name - location + GAP_COLUMNS), "",
			style->dim, strbuf_text(&layout->scratch), style->off);
	fputc('\n', style->out);
}

/* All but the one that is in the row. */
static void put_details(struct layout *layout, size_t row, size_t beside)
{
	const struct text_style *style = layout->style;
	const struct table *table = layout->table;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct cell *cell = &table_row(table, row)[i];
		const char *text;

		if (i == beside || !is_detail(layout, row, i))
			continue;
		/* A chain of one only repeats the name. */
		if (table->columns[i].type == COLUMN_CHAIN &&
		    !strchr(cell->text, TABLE_CHAIN_END))
			continue;
		strbuf_reset(&layout->cut);
		fputs(style->dim, style->out);
		if (table->columns[i].type != COLUMN_CHAIN) {
			fprintf(style->out, "%*s", DETAIL_INDENT, "");
			text_wrap(style, cell->text, DETAIL_INDENT, DETAIL_INDENT);
			fputs(style->off, style->out);
			continue;
		}
		shorten_chain(&layout->cut, cell->text, style->width - DETAIL_INDENT,
			      DETAIL_LINES, style->shorten);
		for (text = strbuf_text(&layout->cut); *text;) {
			size_t size = strcspn(text, "\n");

			fprintf(style->out, "%*s%.*s\n", DETAIL_INDENT, "", (int)size,
				text);
			text += size + (text[size] == '\n');
		}
		fputs(style->off, style->out);
	}
}

static void put_dim(const struct text_style *style, const char *text)
{
	if (!text || !*text)
		return;
	fputs(style->dim, style->out);
	text_wrap(style, text, 0, 0);
	fputs(style->off, style->out);
}

static void put_footer(struct layout *layout)
{
	if (layout->left_out.size)
		strbuf_puts(&layout->left_out,
			    " left out for width; --format json and csv have all");
	put_dim(layout->style, layout->section->footer);
	put_dim(layout->style, strbuf_text(&layout->left_out));
	put_dim(layout->style, layout->has_unknown ? CELL_UNKNOWN : NULL);
}

void text_table(const struct text_style *style, const struct section *section)
{
	struct layout layout = {
		.style = style,
		.section = section,
		.table = section->table,
		.head_name = -1,
		.head_location = -1,
	};

	if (section->table->row_count == 0) {
		fprintf(style->out, "%s(no rows)%s\n", style->dim, style->off);
		return;
	}
	layout.places = xcalloc(section->table->column_count, sizeof(*layout.places));
	if (section->depth_column)
		layout.guides = guides_new(style, section);
	measure(&layout);
	fit(&layout);
	put_header(&layout);
	for (size_t i = 0; i < section->table->row_count; i++) {
		if (layout.head_name >= 0)
			put_head(&layout, i);
		put_details(&layout, i, put_row(&layout, i));
	}
	put_footer(&layout);
	free(layout.places);
	guides_free(layout.guides);
	strbuf_free(&layout.left_out);
	strbuf_free(&layout.scratch);
	strbuf_free(&layout.cut);
}
