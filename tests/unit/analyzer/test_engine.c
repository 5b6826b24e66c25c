/* SPDX-License-Identifier: MIT */
/* What this is: what a report's file may say of a column and of a sentence, and what the
 * engine makes of it, on a database in memory. */
#include "analyzer/reports/engine/columns.h"
#include "analyzer/reports/engine/engine.h"
#include "analyzer/reports/engine/run.h"
#include "tests/unit/tests.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct rundb *db;
static struct report_options options;
static struct report_input input;

static int open_database(void **state)
{
	struct strbuf error = {0};
	int result = rundb_open_memory("memory.db", &db, &error);

	(void)state;
	strbuf_free(&error);
	options = (struct report_options){.limit = -1, .machine = true};
	input = (struct report_input){.db = db, .options = &options};
	return result;
}

static int close_database(void **state)
{
	(void)state;
	rundb_close(db);
	strbuf_free(&input.error);
	return 0;
}

static struct table *read_row(const char *sql)
{
	struct table *table = columns_read(&input, rundb_query(db, sql));

	assert_non_null(table);
	assert_int_equal(table->row_count, 1);
	return table;
}

TEST(a_column_is_what_its_name_says)
{
	static const struct {
		const char *written, *name, *title;
		enum column_type type;
		unsigned flags;
	} cases[] = {
		{"total_time_ns", "total_time_ns", NULL, COLUMN_NSEC, 0},
		{"time!:wait_ns", "wait_ns", "time", COLUMN_NSEC, COLUMN_KEEP},
		{"!:which", "which", "", COLUMN_TEXT, COLUMN_KEEP},
		{".small_calls", "small_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
		{"UTC:~clock", "clock", "UTC", COLUMN_TEXT, COLUMN_HUMAN},
		{">~whose", "whose", NULL, COLUMN_TEXT, COLUMN_HUMAN | COLUMN_DETAIL},
		{"path:>path", "path", "path", COLUMN_CHAIN, COLUMN_DETAIL},
		{"in:caller/name", "caller", "in", COLUMN_NAME, 0},
		{"small %:small_percent", "small_percent", "small %", COLUMN_PERCENT, 0},
		{"read:read_bytes", "read_bytes", "read", COLUMN_BYTES, 0},
		{"+live:delta/bytes_change", "delta", "+live", COLUMN_BYTES_CHANGE, 0},
		/* what has no ending that is known is text */
		{"kind", "kind", NULL, COLUMN_TEXT, 0},
		{"filename", "filename", NULL, COLUMN_TEXT, 0},
		/* a quantity's heading is its own, unless the file has another */
		{"self_ns", "self_ns", "self", COLUMN_NSEC, 0},
		{"own:self_ns", "self_ns", "own", COLUMN_NSEC, 0},
		{".self_ns", "self_ns", "self", COLUMN_NSEC, COLUMN_MACHINE},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct column *column;
		struct table *table;
		char sql[128];

		snprintf(sql, sizeof(sql), "SELECT NULL AS \"%s\"", cases[i].written);
		table = read_row(sql);
		column = &table->columns[0];
		assert_string_equal(column->name, cases[i].name);
		if (cases[i].title)
			assert_string_equal(column->title, cases[i].title);
		else
			assert_null(column->title);
		assert_int_equal(column->type, cases[i].type);
		assert_int_equal(column->flags, cases[i].flags);
		table_free(table);
	}
}

TEST(a_name_and_a_place_are_of_two_columns)
{
	struct table *table;

	options.raw = true;
	table = read_row("SELECT 5 AS \"^self_ns\", '/a.c' AS \"where:file/place\", "
			 "7 AS \"-line/id\"");
	assert_string_equal(table->columns[0].name, "raw_self_ns");
	assert_int_equal(table_row(table, 0)[1].line, 7);
	columns_drop_hidden(table);
	assert_int_equal(table->column_count, 2);
	table_free(table);
	options.raw = false;
}

TEST(values_are_of_the_type_or_unknown)
{
	static const struct {
		const char *sql, *text; /* NULL: there is none */
	} cases[] = {
		{"SELECT 'x' AS \"a_ns\"", NULL},
		{"SELECT 7 AS \"a/text\"", NULL},
		{"SELECT 12345.678 AS \"a/figure\"", "12,346"},
		{"SELECT 0.123456 AS \"a/figure\"", "0.1235"},
		{"SELECT 4 AS \"a/figure\"", "4"},
		{"SELECT 1234567.8 AS \"a/rate\"", "1,234,568"},
		{"SELECT 12.34 AS \"a/drift\"", "+12%"},
		{"SELECT -3.14 AS \"a/drift\"", "-3.1%"},
		{"SELECT 'about 7' AS \"a/figure\"", "about 7"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct table *table = read_row(cases[i].sql);
		const struct cell *cell = table_row(table, 0);

		assert_int_equal(cell->kind, cases[i].text ? CELL_TEXT : CELL_NULL);
		if (cases[i].text)
			assert_string_equal(cell->text, cases[i].text);
		table_free(table);
	}
}

TEST(columns_without_anything_are_hidden_when_asked)
{
	struct table *table = read_row("SELECT 0 AS \"a:?a_ns\", NULL AS \"b:?b\", "
				       "'' AS \"c:?c\", 'x' AS \"d:?d\", 1 AS \"-e_ns\", "
				       "2 AS f_ns");

	for (size_t i = 0; i < 3; i++)
		assert_true(table->columns[i].flags & COLUMN_MACHINE);
	assert_false(table->columns[3].flags & COLUMN_MACHINE);
	columns_drop_hidden(table);
	assert_int_equal(table->column_count, 5);
	assert_int_equal(table_column(table, "e_ns"), -1);
	assert_int_equal(table_cell(table, 0, "f_ns")->integer, 2);
	table_free(table);
}

TEST(a_sentence_has_the_values_of_its_row)
{
	static const struct {
		const char *text, *filled;
	} cases[] = {
		{"all of it", "all of it"},
		{"{a_ns} and {b_bytes}", "1.50ms and 2.00KiB"},
		{"{one call}, {many call}", "1 call, 12 calls"},
		{"{one|is|are}, {many|is|are}", "is, are"},
		{"{none}", "not known"},
		{"{share_percent}", "10.0% +-2%"},
		{"{e_ns}", "2.00ms +-50%"},
		/* values are no sentences, and ours may go over lines */
		{"{name}\n\t\tgoes on", "{a_ns} goes on"},
		{"{nothing} {", "{nothing} {"},
	};
	struct table *table = read_row(
		"SELECT 1500000 AS a_ns, 2048 AS b_bytes, 1 AS \"one/count\", "
		"12 AS \"many/count\", NULL AS none, 10.0 AS share_percent, "
		"2.0 AS share_error_percent, 2000000 AS e_ns, 1000000 AS e_error_ns, "
		"'{a_ns}' AS name");

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct strbuf text = {0};

		sentence_put(&text, cases[i].text, table, 0);
		assert_string_equal(strbuf_text(&text), cases[i].filled);
		strbuf_free(&text);
	}
	table_free(table);
}

static struct doc doc;

static enum exit_status built(const struct report_part *parts, size_t count)
{
	const struct report report = {
		.name = "test", .parts = parts, .part_count = count};

	static enum exit_status status;

	doc_free(&doc);
	doc_init(&doc, "test");
	return FAILS(status = engine_build(&report, &input, &doc))
		       ? (enum exit_status)unit_status
		       : status;
}

static const struct section *section_of(const char *name)
{
	for (size_t i = 0; i < doc.section_count; i++)
		if (strcmp(doc.sections[i].name, name) == 0)
			return &doc.sections[i];
	return NULL;
}

/* Rows 3, 1, 2 of a number and a word. */
#define ROWS                                                                             \
	"SELECT column1 AS \"n_count\", column2 AS \"word\" FROM (VALUES "               \
	"(3,'c'),(1,'a'),(2,'b'))"

TEST(a_table_is_in_the_order_of_its_query_or_of_sort)
{
	static const struct report_part parts[] = {
		{.kind = PART_TABLE, .name = "one", .sql = ROWS, .flags = PART_SORT},
		{.kind = PART_TABLE, .name = "other", .sql = ROWS, .flags = PART_WHOLE}};

	assert_int_equal(built(parts, COUNT(parts)), STATUS_OK);
	assert_int_equal(table_row(section_of("one")->table, 0)->integer, 3);
	options.sort = "word";
	options.limit = 2;
	assert_int_equal(built(parts, COUNT(parts)), STATUS_OK);
	assert_int_equal(table_row(section_of("one")->table, 0)->integer, 1);
	assert_int_equal(section_of("one")->table->row_count, 2);
	assert_int_equal(section_of("one")->total_row_count, 3);
	assert_non_null(strstr(section_of("one")->footer, "2 of 3 rows shown"));
	assert_int_equal(table_row(section_of("other")->table, 0)->integer, 3);
	assert_int_equal(section_of("other")->table->row_count, 3);
	options.sort = "nothing";
	assert_int_equal(built(parts, COUNT(parts)), STATUS_USAGE);
	options.sort = NULL;
	options.limit = -1;
}

TEST(what_is_kept_is_there_for_later_queries_only)
{
	static const struct report_part parts[] = {
		{.kind = PART_KEEP, .name = "kept", .sql = ROWS},
		{.kind = PART_KEEP, .name = "unused", .sql = "SELECT nonsense"},
		{.kind = PART_TABLE,
		 .name = "sum",
		 .order = "n_count",
		 .sql = "SELECT n_count FROM kept ORDER BY 1"},
		{.kind = PART_TABLE,
		 .name = "places",
		 .sql = "SELECT n_count, place AS \"place/count\" FROM sum_shown ORDER "
			"BY 2"}};

	assert_int_equal(built(parts, COUNT(parts)), STATUS_OK);
	assert_int_equal(table_row(section_of("places")->table, 2)[0].integer, 3);
	assert_int_equal(table_row(section_of("places")->table, 2)[1].integer, 3);
	assert_true(FAILS(rundb_query(db, "SELECT * FROM kept")));
	assert_true(FAILS(rundb_query(db, "SELECT * FROM sum_shown")));
}

TEST(a_report_ends_where_it_has_nothing_to_tell)
{
	static const struct report_part parts[] = {
		{.kind = PART_NOTE, .name = "fine", .sql = "SELECT 'x' AS text WHERE 0"},
		{.kind = PART_TABLE,
		 .name = "optional",
		 .flags = PART_OPTIONAL,
		 .sql = "SELECT 1 AS n_count WHERE 0"},
		{.kind = PART_TABLE,
		 .name = "quiet",
		 .title = "Title",
		 .flags = PART_QUIET,
		 .sql = "SELECT 1 AS n_count WHERE 0"},
		{.kind = PART_NOTE,
		 .name = "none",
		 .flags = PART_EMPTY,
		 .sql = "SELECT '{n call} of \"{word}\".' AS text, 2 AS \"n/count\", 'a' "
			"AS word"},
		{.kind = PART_END, .sql = "SELECT 1"},
		{.kind = PART_TABLE, .name = "late", .sql = "SELECT nonsense"}};

	assert_int_equal(built(parts, COUNT(parts)), STATUS_NOTHING);
	assert_null(section_of("fine"));
	assert_null(section_of("optional"));
	assert_null(section_of("quiet")->title);
	assert_int_equal(section_of("quiet")->flags, SECTION_MACHINE);
	assert_string_equal(section_of("none")->text, "2 calls of \"a\".");
	assert_int_equal(built(&parts[5], 1), STATUS_FAILED);
}

TEST(the_page_has_its_own_parts)
{
	static const struct report_part parts[] = {
		{.kind = PART_TABLE, .name = "full", .sql = ROWS},
		{.kind = PART_TABLE,
		 .name = "both",
		 .sql = ROWS,
		 .flags = PART_BRIEF | PART_HALF,
		 .section_flags = SECTION_MAIN},
		{.kind = PART_VALUES,
		 .name = "page",
		 .title = "Of {n_count}",
		 .sql = "SELECT 7 AS \"-n_count\", '{n_count call}' AS \"calls:~text\", "
			"NULL AS \".?absent_ns\", 5 AS \".there_ns\"",
		 .flags = PART_ONLY_BRIEF}};
	const struct report report = {
		.name = "test", .parts = parts, .part_count = COUNT(parts)};

	assert_int_equal(built(parts, COUNT(parts)), STATUS_OK);
	assert_null(section_of("page"));
	assert_int_equal(section_of("both")->flags, SECTION_MAIN);
	doc_free(&doc);
	doc_init(&doc, "page");
	engine_add_brief(&report, &input, &doc, 2);
	assert_null(section_of("full"));
	assert_int_equal(section_of("both")->table->row_count, 1);
	assert_int_equal(section_of("both")->flags, 0);
	assert_string_equal(section_of("page")->title, "Of 7");
	assert_int_equal(section_of("page")->value_count, 2);
	assert_string_equal(section_of("page")->values[0].cell.text, "7 calls");
	assert_string_equal(section_of("page")->values[1].name, "there_ns");
	doc_free(&doc);
}

TEST_GROUP(open_database, close_database)
