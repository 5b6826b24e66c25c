/* SPDX-License-Identifier: MIT */
/* Finds the rows of two runs that are the same. Must not decide what is read back. */
#include "analyzer/archive/same.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* What tells rows of a table apart, besides ids of other rows and their order. */
static const char *const key_columns[] = {"name", "linkage_name", "file", "path", "kind"};

/* A number for each row of each table. */
struct marks {
	uint64_t **of;
	const struct rows *rows;
};

static uint64_t mix(uint64_t seed, const void *bytes, size_t size)
{
	uint64_t parts[2] = {seed, hash_bytes(bytes, size)};

	return hash_bytes(parts, sizeof(parts));
}

static bool is_key(const struct rows_table *table, size_t column)
{
	const struct rows_column *one = &table->columns[column];

	if (one->of >= 0)
		return column > 0 || !table->has_ids;
	for (size_t i = 0; i < sizeof(key_columns) / sizeof(key_columns[0]); i++)
		if (strcmp(one->name, key_columns[i]) == 0)
			return true;
	return false;
}

/* An id is the mark of the row that it means, or itself if that is not known yet. */
static uint64_t mark_value(const struct marks *marks, uint64_t seed,
			   const struct rows_column *column, size_t row)
{
	const struct rows_value *value = &column->values[row];
	uint64_t number = (uint64_t)value->number, place;

	if (value->kind == ROWS_NULL)
		return mix(seed, "", 0);
	if (value->kind == ROWS_TEXT || value->kind == ROWS_BLOB)
		return mix(seed, value->bytes, value->size);
	if (column->of >= 0 && value->kind == ROWS_INTEGER) {
		const struct rows_table *meant = &marks->rows->tables[column->of];
		const uint64_t *of = marks->of[column->of];

		place = number - (uint64_t)meant->first_id;
		if (of && meant->is_numbered && place < meant->row_count)
			number = of[place];
	}
	return mix(seed, &number, sizeof(number));
}

static void mark_table(struct marks *marks, size_t index)
{
	const struct rows_table *table = &marks->rows->tables[index];
	uint64_t *of = marks->of[index] = xcalloc(table->row_count + 1, sizeof(*of));
	auto_free size_t *keys = xcalloc(table->column_count + 1, sizeof(*keys));
	size_t count = 0;

	for (size_t i = 0; i < table->column_count; i++)
		if (is_key(table, i))
			keys[count++] = i;
	/* row by row: a path's parent is marked before it */
	for (size_t row = 0; row < table->row_count; row++)
		for (size_t i = 0; i < count; i++)
			of[row] =
				mark_value(marks, of[row], &table->columns[keys[i]], row);
}

static struct marks marks_of(const struct rows *rows)
{
	struct marks marks = {xcalloc(rows->table_count + 1, sizeof(*marks.of)), rows};

	for (size_t i = 0; i < rows->table_count; i++)
		mark_table(&marks, i);
	return marks;
}

static void marks_free(struct marks *marks)
{
	for (size_t i = 0; i < marks->rows->table_count; i++)
		free(marks->of[i]);
	free(marks->of);
}

/* Rows with one mark are told apart by their order: by (mark, how many had it before). */
static uint32_t *match(const struct marks *marks, const struct marks *others,
		       size_t index)
{
	const struct marks *sides[] = {others, marks};
	size_t count = marks->rows->tables[index].row_count;
	uint32_t *same = xcalloc(count + 1, sizeof(*same));
	struct map there = {0};

	for (size_t side = 0; side < 2; side++) {
		size_t rows = sides[side]->rows->tables[index].row_count;
		uint32_t *counts = xcalloc(rows + 1, sizeof(*counts));
		struct map numbers = {0};

		for (size_t row = 0; row < rows; row++) {
			uint64_t mark = sides[side]->of[index][row];
			uint32_t turn = counts[map_number(&numbers, mark, 0, 0, NULL)]++;

			if (side == 0)
				map_put(&there, mark, turn, 0, (uint32_t)row);
			else
				same[row] = map_get(&there, mark, turn, 0);
		}
		map_done(&numbers);
		free(counts);
	}
	map_done(&there);
	return same;
}

uint32_t **same_rows(const struct rows *rows, const struct rows *reference)
{
	ended_by(marks_free) struct marks marks = marks_of(rows),
					  others = marks_of(reference);
	uint32_t **same = xcalloc(rows->table_count + 1, sizeof(*same));

	for (size_t i = 0; i < rows->table_count; i++)
		same[i] = match(&marks, &others, i);
	return same;
}
