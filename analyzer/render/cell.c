/* SPDX-License-Identifier: MIT */
/* Cells as text, for people and for machines. */
#include "analyzer/render/cell.h"

#include "common/base/text.h"
#include "analyzer/model/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* In fewer columns a chain loses its root before names are cut. */
#define ROOT_LEAST 100

static void number(struct strbuf *buffer, const struct cell *cell, enum column_type type)
{
	int64_t integer =
		cell->kind == CELL_INTEGER ? cell->integer : whole_number(cell->real);

	if ((type == COLUMN_COUNT_CHANGE || type == COLUMN_BYTES_CHANGE) && integer > 0)
		strbuf_putc(buffer, '+');
	switch (type) {
	case COLUMN_COUNT:
	case COLUMN_COUNT_CHANGE:
		units_count(buffer, integer);
		break;
	case COLUMN_BYTES:
	case COLUMN_BYTES_CHANGE:
		units_bytes(buffer, integer);
		break;
	case COLUMN_NSEC:
		units_nsec(buffer, integer);
		break;
	case COLUMN_PERCENT:
		units_percent(buffer, cell_number(cell));
		break;
	case COLUMN_FLAG:
		strbuf_puts(buffer, integer ? "yes" : "no");
		break;
	default:
		if (cell->kind == CELL_REAL)
			units_real(buffer, cell->real);
		else
			strbuf_printf(buffer, "%" PRId64, cell->integer);
	}
}

/* A place in the source. A definition's line must not be taken for a call's. */
static void put_location(struct strbuf *buffer, const struct cell *cell, const char *text,
			 size_t width, const struct shorten_style *style)
{
	size_t more = cell->is_definition ? sizeof(CELL_OF_FUNCTION) - 1 : 0;

	if (width <= more) /* the place itself comes first */
		more = 0;
	shorten_location(buffer, text, cell->line, width - more, style);
	if (more)
		strbuf_puts(buffer, CELL_OF_FUNCTION);
}

/* A chain on one line; with little room the innermost names are kept whole. */
static void put_chain(struct strbuf *buffer, const char *text, size_t width,
		      const struct shorten_style *style)
{
	ended_by(strbuf_free) struct strbuf chain = {0};

	shorten_chain(&chain, text, width, 1, style);
	if (width < ROOT_LEAST || strchr(strbuf_text(&chain), '\n'))
		shorten_chain_end(buffer, text, width, style);
	else
		strbuf_puts(buffer, strbuf_text(&chain));
}

void cell_shortened(struct strbuf *buffer, const struct cell *cell, enum column_type type,
		    size_t width, const struct shorten_style *style)
{
	const char *text = cell->text;

	if (cell->kind == CELL_NULL) {
		strbuf_putc(buffer, '-');
		return;
	}
	if (cell->kind != CELL_TEXT) {
		number(buffer, cell, type);
		return;
	}
	if (type == COLUMN_CHAIN) {
		put_chain(buffer, cell->text, width, style);
		return;
	}
	switch (type) {
	case COLUMN_NAME:
		shorten_name(buffer, text, width, style);
		break;
	case COLUMN_LOCATION:
		put_location(buffer, cell, text, width, style);
		break;
	case COLUMN_FILE:
		shorten_location(buffer, text, 0, width, style);
		break;
	case COLUMN_ANY:
		shorten_middle(buffer, text, width, style);
		break;
	default:
		shorten_end(buffer, text, width, style);
	}
}

static void percent_with_error(struct strbuf *buffer, double percent, double error)
{
	if (units_is_known(percent, error)) {
		units_percent(buffer, percent);
		return;
	}
	strbuf_putc(buffer, '<');
	units_percent(buffer, fmax(0.1, fmin(100, percent + error)));
}

static bool has_error(const struct cell *cell, const struct cell *error)
{
	return error && cell_number(error) > 0 &&
	       (cell->kind == CELL_INTEGER || cell->kind == CELL_REAL);
}

bool cell_is_unknown(const struct cell *cell, const struct cell *error,
		     enum column_type type)
{
	double value = cell_number(cell);

	if (!has_error(cell, error) || (type != COLUMN_NSEC && type != COLUMN_PERCENT))
		return false;
	return !units_is_known(type == COLUMN_NSEC ? fabs(value) : value,
			       cell_number(error));
}

void cell_with_error(struct strbuf *buffer, const struct cell *cell,
		     const struct cell *error, enum column_type type,
		     const struct shorten_style *style)
{
	if (has_error(cell, error) && type == COLUMN_NSEC)
		units_nsec_error(buffer, cell_whole(cell), cell_whole(error),
				 style->error);
	else if (has_error(cell, error) && type == COLUMN_PERCENT)
		percent_with_error(buffer, cell_number(cell), cell_number(error));
	else
		cell_for_people(buffer, cell, type, style);
}

void cell_for_people(struct strbuf *buffer, const struct cell *cell,
		     enum column_type type, const struct shorten_style *style)
{
	if (cell->kind == CELL_TEXT && type == COLUMN_CHAIN)
		shorten_chain(buffer, cell->text, SIZE_MAX / 2, 0, style);
	else
		cell_shortened(buffer, cell, type, SIZE_MAX / 2, style);
}

void cell_for_machines(struct strbuf *buffer, const struct cell *cell)
{
	size_t start = buffer->size;

	switch (cell->kind) {
	case CELL_INTEGER:
		strbuf_printf(buffer, "%" PRId64, cell->integer);
		break;
	case CELL_REAL:
		units_real(buffer, cell->real);
		break;
	case CELL_TEXT:
		utf8_repair(buffer, cell->text);
		for (size_t i = start; i < buffer->size; i++)
			if (buffer->data[i] == TABLE_CHAIN_END)
				buffer->data[i] = ';';
		break;
	default:
		break;
	}
}

bool column_is_number(const struct table *table, size_t column)
{
	switch (table->columns[column].type) {
	case COLUMN_ID:
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_COUNT_CHANGE:
	case COLUMN_BYTES_CHANGE:
	case COLUMN_NSEC:
	case COLUMN_PERCENT:
	case COLUMN_FIGURE:
		return true;
	case COLUMN_ANY:
		break;
	default:
		return false;
	}
	for (size_t i = 0; i < table->row_count; i++)
		if (table_row(table, i)[column].kind == CELL_TEXT)
			return false;
	return true;
}

const char *column_title(const struct column *column)
{
	return column->title ? column->title : column->name;
}
