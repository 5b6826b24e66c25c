/* SPDX-License-Identifier: MIT */
/* What this is: tables: sorting, cutting, choosing. */
#include "analyzer/model/table.h"
#include "tests/unit/tests.h"

static const struct column columns[] = {
	{"name", NULL, COLUMN_NAME, 0},
	{"calls", NULL, COLUMN_COUNT, 0},
	{"calls_ns", NULL, COLUMN_NSEC, 0},
};

static struct table *make(void)
{
	static const struct {
		const char *name;
		int64_t calls;
	} rows[] = {
		{"b", 5}, {"a", 5}, {"d", INT64_MAX}, {NULL, 7}, {"c", INT64_MAX - 1}};
	struct table *table = table_new(columns, 3);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cell *row = table_add_row(table);

		row[0] = table_text(table, rows[i].name);
		row[1] = cell_integer(rows[i].calls);
	}
	return table;
}

static const char *name_of(const struct table *table, size_t row)
{
	const struct cell *cell = table_cell(table, row, "name");

	return cell->kind == CELL_NULL ? "-" : cell->text;
}

TEST(rows_sort_high_to_low)
{
	struct table *table = make();

	table_sort(table, 1, 0);
	/* Doubles could not tell the first two apart. */
	assert_string_equal(name_of(table, 0), "d");
	assert_string_equal(name_of(table, 1), "c");
	assert_string_equal(name_of(table, 2), "-");
	assert_string_equal(name_of(table, 3), "a");
	assert_string_equal(name_of(table, 4), "b");
	table_sort(table, 0, -1);
	assert_string_equal(name_of(table, 0), "a");
	assert_string_equal(name_of(table, 4), "-");
	/* All equal: the order stays. */
	table_sort(table, 2, -1);
	assert_string_equal(name_of(table, 0), "a");
	table_free(table);
}

TEST(rows_are_cut)
{
	struct table *table = make();

	table_cut(table, 0);
	assert_int_equal(table->row_count, 5);
	table_cut(table, 2);
	assert_int_equal(table->row_count, 2);
	assert_true(table_sum(table, "nonsense") == 0);
	table_free(table);
}

TEST(columns_are_found_whole)
{
	struct table *table = make();

	assert_int_equal(table_column(table, "calls_ns"), 2);
	assert_int_equal(table_column(table, "call"), -1);
	table_show(table, "name calls_ns");
	assert_true(table->columns[1].flags & COLUMN_MACHINE);
	assert_false(table->columns[2].flags & COLUMN_MACHINE);
	table_free(table);
	table_free(NULL);
}

TEST(errors_are_found_by_their_name)
{
	static const struct column pairs[] = {
		{"self_ns", NULL, COLUMN_NSEC, 0},
		{"total_ns", NULL, COLUMN_NSEC, 0},
		{"self_error_ns", NULL, COLUMN_NSEC, 0},
		{"self", NULL, COLUMN_TEXT, 0},
		{"self_bytes", NULL, COLUMN_BYTES, 0},
		{"self_error_bytes", NULL, COLUMN_BYTES, 0},
	};
	struct table *table = table_new(pairs, 6);

	assert_int_equal(table_error_column(table, 0), 2);
	for (size_t i = 1; i < 6; i++)
		assert_int_equal(table_error_column(table, i), -1);
	table->columns[0].name = "raw_self_ns";
	assert_int_equal(table_error_column(table, 0), -1);
	table_free(table);
}
