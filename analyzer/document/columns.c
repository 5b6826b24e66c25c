/* SPDX-License-Identifier: MIT */
/* Tables and quantities. */
#include "analyzer/document/columns.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

enum column_type quantity_column_type(const struct quantity *quantity)
{
	static const enum column_type types[] = {
		[QUANTITY_COUNT] = COLUMN_COUNT,
		[QUANTITY_BYTES] = COLUMN_BYTES,
		[QUANTITY_NSEC] = COLUMN_NSEC,
	};

	return types[quantity->unit];
}

static bool has_column(const struct column *columns, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(columns[i].name, name) == 0)
			return true;
	return false;
}

static struct column described(struct column column)
{
	const struct quantity *quantity = quantity_find(column.name);

	if (!quantity)
		return column;
	column.name = quantity->name; /* recognized by its address, see below */
	column.type = quantity_column_type(quantity);
	if (!column.title)
		column.title = quantity->heading;
	return column;
}

static struct column column_of(const struct quantity *quantity)
{
	return (struct column){quantity->name, quantity->heading,
			       quantity_column_type(quantity),
			       quantity->shown == QUANTITY_NEVER ? COLUMN_MACHINE : 0};
}

struct table *table_of(const struct column *layout, size_t count,
		       enum quantity_subject of)
{
	auto_free struct column *columns =
		xreallocarray(NULL, count + quantity_lists[of].count, sizeof(*columns));
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(layout[i].name, "*") != 0) {
			columns[used++] = described(layout[i]);
			continue;
		}
		for (size_t j = 0; j < quantity_lists[of].count; j++) {
			const struct quantity *quantity =
				&quantities[quantity_lists[of].numbers[j]];

			if (!has_column(layout, count, quantity->name))
				columns[used++] = column_of(quantity);
		}
	}
	return table_new(columns, used);
}

void table_put_quantities(struct table *table, size_t row, enum quantity_subject of,
			  const int64_t *values)
{
	const struct quantity_list *list = &quantity_lists[of];
	struct cell *cells = table_row(table, row);

	for (size_t i = 0; i < list->count; i++) {
		const char *name = quantities[list->numbers[i]].name;
		size_t column = 0;

		while (column < table->column_count &&
		       table->columns[column].name != name)
			column++;
		if (column < table->column_count)
			cells[column] = values[i] == QUANTITY_UNKNOWN
						? (struct cell){.kind = CELL_NULL}
						: cell_integer(values[i]);
	}
}

void table_hide_zeros(struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct quantity *quantity = quantity_find(table->columns[i].name);

		if (quantity && quantity->shown == QUANTITY_NONZERO &&
		    table_sum(table, quantity->name) == 0)
			table->columns[i].flags |= COLUMN_MACHINE;
	}
}
