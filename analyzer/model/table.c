/* SPDX-License-Identifier: MIT */
/* Typed tables: rows of cells, sorting and cutting. */
#include "analyzer/model/table.h"

#include "common/base/xalloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table *table_new(const struct column *columns, size_t count)
{
	struct table *table = xcalloc(1, sizeof(*table));

	table->columns = xreallocarray(NULL, count, sizeof(*columns));
	memcpy(table->columns, columns, count * sizeof(*columns));
	table->column_count = count;
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	free(table->columns);
	free(table->cells);
	arena_free(&table->texts);
	free(table);
}

struct cell *table_row(const struct table *table, size_t row)
{
	return table->cells + row * table->column_count;
}

struct cell *table_add_row(struct table *table)
{
	table->cells = array_room(table->cells, table->row_count,
				  table->column_count * sizeof(struct cell));
	return table_row(table, table->row_count++);
}

int table_column(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (strcmp(table->columns[i].name, name) == 0)
			return (int)i;
	return -1;
}

int table_error_column(const struct table *table, size_t column)
{
	static const char *const units[] = {"_ns", "_percent"};
	const char *name = table->columns[column].name;
	const char *unit = strrchr(name, '_');
	char wanted[128];

	/* If CPU waits are not known, blocked time is not either. */
	if (strcmp(name, "self_blocked_ns") == 0)
		return table_column(table, "self_ready_error_ns");
	for (size_t i = 0; unit && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i]) != 0)
			continue;
		snprintf(wanted, sizeof(wanted), "%.*s_error%s", (int)(unit - name), name,
			 unit);
		return table_column(table, wanted);
	}
	return -1;
}

struct cell *table_cell(const struct table *table, size_t row, const char *column)
{
	return table_row(table, row) + table_column(table, column);
}

struct cell cell_integer(int64_t value)
{
	return (struct cell){.kind = CELL_INTEGER, .integer = value};
}

struct cell cell_real(double value)
{
	return (struct cell){.kind = CELL_REAL, .real = value};
}

struct cell cell_text(const char *text)
{
	return (struct cell){.kind = text ? CELL_TEXT : CELL_NULL, .text = text};
}

struct cell table_text(struct table *table, const char *text)
{
	if (!text)
		return (struct cell){.kind = CELL_NULL};
	return (struct cell){.kind = CELL_TEXT,
			     .text = arena_copy(&table->texts, text, strlen(text))};
}

int64_t whole_number(double value)
{
	if (value >= 0x1p63)
		return INT64_MAX;
	if (value <= -0x1p63)
		return INT64_MIN;
	return value == value ? (int64_t)round(value) : 0;
}

double cell_number(const struct cell *cell)
{
	if (cell->kind == CELL_INTEGER)
		return (double)cell->integer;
	return cell->kind == CELL_REAL ? cell->real : 0;
}

int64_t cell_whole(const struct cell *cell)
{
	return cell->kind == CELL_INTEGER ? cell->integer
					  : whole_number(cell_number(cell));
}

/* <0: a stands before b. Integers are compared as such: doubles lose digits. */
static int compare_cells(const struct cell *a, const struct cell *b)
{
	if (a->kind == CELL_NULL || b->kind == CELL_NULL)
		return (a->kind == CELL_NULL) - (b->kind == CELL_NULL);
	if (a->kind == CELL_TEXT && b->kind == CELL_TEXT) {
		int order = strcmp(a->text, b->text);

		if (order == 0)
			order = (a->line > b->line) - (a->line < b->line);
		return order;
	}
	if (a->kind == CELL_TEXT || b->kind == CELL_TEXT)
		return (a->kind == CELL_TEXT) - (b->kind == CELL_TEXT);
	if (a->kind == CELL_INTEGER && b->kind == CELL_INTEGER)
		return (a->integer < b->integer) - (a->integer > b->integer);
	return (cell_number(a) < cell_number(b)) - (cell_number(a) > cell_number(b));
}

struct order {
	const struct table *table;
	int column, tie;
};

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const struct cell *a_row = table_row(order->table, a);
	const struct cell *b_row = table_row(order->table, b);
	int result = compare_cells(a_row + order->column, b_row + order->column);

	if (result == 0 && order->tie >= 0)
		result = compare_cells(a_row + order->tie, b_row + order->tie);
	return result ? result : (a > b) - (a < b);
}

void table_sort(struct table *table, int column, int tie)
{
	struct order order = {table, column, tie};
	size_t row_size = table->column_count * sizeof(struct cell);
	size_t *places;
	struct cell *sorted;

	if (table->row_count < 2)
		return;
	places = xreallocarray(NULL, table->row_count, sizeof(*places));
	for (size_t i = 0; i < table->row_count; i++)
		places[i] = i;
	qsort_r(places, table->row_count, sizeof(*places), compare_rows, &order);
	sorted = xreallocarray(NULL, array_capacity(table->row_count), row_size);
	for (size_t i = 0; i < table->row_count; i++)
		memcpy(sorted + i * table->column_count, table_row(table, places[i]),
		       row_size);
	free(places);
	free(table->cells);
	table->cells = sorted;
}

void table_lead(struct table *table, size_t column)
{
	struct column first = table->columns[column];

	memmove(table->columns + 1, table->columns, column * sizeof(first));
	table->columns[0] = first;
	for (size_t i = 0; i < table->row_count; i++) {
		struct cell *row = table_row(table, i), cell = row[column];

		memmove(row + 1, row, column * sizeof(cell));
		row[0] = cell;
	}
}

void table_cut(struct table *table, size_t limit)
{
	if (limit && limit < table->row_count)
		table->row_count = limit;
}

double table_sum(const struct table *table, const char *column)
{
	int number = table_column(table, column);
	double sum = 0;

	for (size_t i = 0; number >= 0 && i < table->row_count; i++)
		sum += cell_number(table_row(table, i) + number);
	return sum;
}

bool table_is_listed(const char *list, const char *name)
{
	size_t size = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += size)
		if ((at == list || at[-1] == ' ') && (at[size] == ' ' || !at[size]))
			return true;
	return false;
}

void table_show(struct table *table, const char *columns)
{
	for (size_t i = 0; i < table->column_count; i++) {
		struct column *column = &table->columns[i];

		if (column->flags & COLUMN_HUMAN)
			continue;
		if (table_is_listed(columns, column->name))
			column->flags &= ~(unsigned)COLUMN_MACHINE;
		else
			column->flags |= COLUMN_MACHINE;
	}
}
