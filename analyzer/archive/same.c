/* SPDX-License-Identifier: MIT */
/* Finds the rows of two runs that are the same. Must not decide what is read back. */
#include "analyzer/archive/same.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* What tells rows of a table apart, besides their order. Tables that are not here are
 * matched row by row. */
static const struct {
	const char *table, *columns[6];
} keys[] = {
	{"module", {"path"}},
	{"function", {"name", "linkage_name", "file", "module_id"}},
	{"path", {"parent_path_id", "function_id", "kind"}},
	{"path_lane", {"path_id", "lane_id"}},
	{"mode", {"name", "process_id"}},
	{"edge", {"caller_id", "callee_id"}},
	{"target", {"kind", "name"}},
	{"transfer", {"path_id", "is_source"}},
	{"sample", {"path_id", "kind", "name", "line"}},
	{"site", {"path_id", "file", "line"}},
	{"lock", {"kind", "name"}},
	{"lock_wait", {"waiter_path_id", "holder_path_id", "lock_id"}},
	{"study_part", {"study_id", "case_id", "path_id"}},
	{"snapshot_site", {"site_id", "snapshot_id"}},
	{"snapshot_path", {"path_id", "snapshot_id"}},
	{"snapshot_free", {"site_id", "born_id", "freed_id"}},
	{"trust", {"name", "process_id"}},
};

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

/* The mark of the row that an id means; the id itself if that is not known yet. */
static uint64_t meant(const struct marks *marks, enum rows_id id, int64_t number)
{
	const struct rows *rows = marks->rows;

	for (size_t i = 0; i < rows->table_count; i++) {
		const struct rows_table *table = &rows->tables[i];

		if (id == ROWS_NO_ID || table->of != id)
			continue;
		if (marks->of[i] && table->is_numbered && number >= table->first_id &&
		    number - table->first_id < (int64_t)table->row_count)
			return marks->of[i][number - table->first_id];
		break;
	}
	return (uint64_t)number;
}

static uint64_t mark_value(const struct marks *marks, uint64_t seed,
			   const struct rows_column *column, size_t row)
{
	const struct rows_value *value = &column->values[row];
	uint64_t number;

	if (value->kind == ROWS_NULL)
		return mix(seed, "", 0);
	if (value->kind == ROWS_TEXT || value->kind == ROWS_BLOB)
		return mix(seed, value->bytes, value->size);
	number = value->kind == ROWS_INTEGER ? meant(marks, column->id, value->number)
					     : (uint64_t)value->number;
	return mix(seed, &number, sizeof(number));
}

static int key_of(const struct rows_table *table)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i].table, table->name) == 0)
			return (int)i;
	return -1;
}

/* The columns of a key, in the order of the table. */
static size_t key_columns(const struct rows_table *table, int key, size_t *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < table->column_count; i++)
		for (size_t k = 0; k < 6 && keys[key].columns[k]; k++)
			if (strcmp(keys[key].columns[k], table->columns[i].name) == 0)
				ret[count++] = i;
	return count;
}

static void mark_table(struct marks *marks, size_t index)
{
	const struct rows_table *table = &marks->rows->tables[index];
	uint64_t *of = marks->of[index] = xcalloc(table->row_count + 1, sizeof(*of));
	int key = key_of(table);
	size_t columns[6], count = key < 0 ? 0 : key_columns(table, key, columns);

	for (size_t row = 0; row < table->row_count; row++) {
		for (size_t i = 0; i < count; i++)
			of[row] = mark_value(marks, of[row], &table->columns[columns[i]],
					     row);
		if (key < 0)
			of[row] = row;
	}
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

/* Rows with one mark are told apart by their order. */
struct turns {
	struct map marks;
	uint32_t *counts;
};

static uint32_t turn_of(struct turns *turns, uint64_t mark)
{
	return turns->counts[map_number(&turns->marks, mark, 0, 0, NULL)]++;
}

static uint32_t *match(const struct marks *marks, const struct marks *others,
		       size_t index)
{
	size_t count = marks->rows->tables[index].row_count;
	size_t other_count = others->rows->tables[index].row_count;
	uint32_t *same = xcalloc(count + 1, sizeof(*same));
	struct turns turns = {.counts = xcalloc(count + 1, sizeof(uint32_t))};
	struct turns other_turns = {.counts = xcalloc(other_count + 1, sizeof(uint32_t))};
	struct map there = {0};

	for (size_t row = 0; row < other_count; row++) {
		uint64_t mark = others->of[index][row];

		map_put(&there, mark, turn_of(&other_turns, mark), 0, (uint32_t)row);
	}
	for (size_t row = 0; row < count; row++) {
		uint64_t mark = marks->of[index][row];

		same[row] = map_get(&there, mark, turn_of(&turns, mark), 0);
	}
	map_done(&there);
	map_done(&turns.marks);
	map_done(&other_turns.marks);
	free(turns.counts);
	free(other_turns.counts);
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
