/* SPDX-License-Identifier: MIT */
/* What this is: queries, SQL functions and the choice of a run, on a
 * database in memory. */
#include "analyzer/rundb/limits.h"
#include "analyzer/rundb/private.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rundb/select.h"
#include "tests/unit/tests.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

static struct rundb *db;
static struct strbuf error;

static int open_database(void **state)
{
	(void)state;
	strbuf_reset(&error);
	return rundb_open_memory("memory.db", &db, &error);
}

static int close_database(void **state)
{
	(void)state;
	rundb_close(db);
	strbuf_free(&error);
	return 0;
}

static void execute(const char *sql)
{
	assert_int_equal(sqlite3_exec(rundb_handle(db), sql, NULL, NULL, NULL),
			 SQLITE_OK);
}

static double real_of(const char *sql)
{
	struct cursor *cursor;
	struct cell cell;

	cursor = rundb_query_foreign(db, sql);
	assert_int_equal(cursor_next(cursor), 1);
	cell = cursor_cell(cursor, 0, NULL);
	cursor_close(cursor);
	return cell.kind == CELL_NULL ? -1 : cell_number(&cell);
}

/* The connection's last call may have been another one, that did not fail. */
TEST_WITH(the_reason_is_that_of_the_code, open_database, close_database)
{
	execute("SELECT 1");
	assert_fails(rundb_end(db, SQLITE_CORRUPT), "is damaged (database disk image is");
	assert_null(strstr(unit_sentence, "not an error"));
}

/* By name, in any order, row after row; a name that the query does not have is a mistake
 * of the program's. */
TEST_WITH(columns_have_names, open_database, close_database)
{
	struct cursor *cursor;
	int status;
	pid_t child;

	cursor = rundb_query_foreign(db, "SELECT 1 AS a, 'x' AS b UNION SELECT 2, "
					 "'y' ORDER BY 1");
	for (int row = 1; row <= 2; row++) {
		assert_int_equal(cursor_next(cursor), 1);
		assert_string_equal(cursor_text(cursor, "b"), row == 1 ? "x" : "y");
		assert_int_equal(cursor_integer(cursor, "a"), row);
		assert_false(cursor_is_null(cursor, "b"));
	}
	child = fork();
	if (child == 0) {
		assert_non_null(freopen("/dev/null", "w", stderr));
		signal(SIGABRT, SIG_DFL);
		cursor_integer(cursor, "c");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	cursor_close(cursor);
}

TEST_WITH(quantiles_interpolate, open_database, close_database)
{
	assert_true(real_of("WITH t(x) AS (VALUES (3), (1), (2), (4)) "
			    "SELECT median(x) FROM t") == 2.5);
	assert_true(real_of("WITH t(x) AS (VALUES (3), (1), (NULL), (2)) "
			    "SELECT quantile(x, 0) FROM t") == 1);
	assert_true(real_of("WITH t(x) AS (VALUES (3), (1), (2)) "
			    "SELECT quantile(x, 1) FROM t") == 3);
	assert_true(real_of("WITH t(x) AS (VALUES (0), (10)) "
			    "SELECT percentile(x, 90) FROM t") == 9);
	assert_true(real_of("WITH t(x) AS (VALUES (NULL)) SELECT median(x) FROM t") ==
		    -1);
	assert_true(real_of("SELECT median(run_id) FROM runs") == -1);
}

/* Of x in the order of their rows; what is not known is as it was. */
TEST_WITH(values_over_rows_in_their_order, open_database, close_database)
{
	assert_true(
		real_of("WITH t(i, x) AS (VALUES (1, 4), (2, NULL), (3, 9)) SELECT "
			"100 * SUM(known) + SUM(more * i) FROM (SELECT i, last_known(x) "
			"OVER w AS known, grown(x) OVER w AS more FROM t WINDOW w AS "
			"(ORDER BY i ROWS UNBOUNDED PRECEDING))") ==
		100 * (4 + 4 + 9) + 4 + 3 * 5);
	/* 9 is not sure to be more than 8; 5 is less than 9, 4 not sure to be than 5 */
	assert_true(real_of("WITH t(x, e) AS (VALUES (9, 1), (8, 1), (5, 1), (4, 0)) "
			    "SELECT SUM(rank * x) FROM (SELECT x, tied_rank(x, e) OVER "
			    "(ORDER BY x DESC) AS rank FROM t)") ==
		    1 * 9 + 1 * 8 + 3 * 5 + 3 * 4);
}

static size_t three(void *context)
{
	(void)context;
	return 3;
}

static struct cell square_of(void *context, size_t row, size_t column)
{
	(void)context;
	return column ? cell_integer((int64_t)(row * row)) : cell_integer((int64_t)row);
}

TEST_WITH(rows_of_c_are_a_table, open_database, close_database)
{
	static const char *const columns[] = {"number", "square"};
	struct rundb_rows rows = {columns, 2, three, square_of};
	struct cursor *cursor;

	rundb_show_rows(db, "squares", &rows, NULL);
	cursor = rundb_query(db, "SELECT SUM(b.square) + 100 * COUNT(*) FROM squares a "
				 "JOIN squares b ON b.number = a.square");
	assert_int_equal(cursor_next(cursor), 1);
	assert_int_equal(cursor_real_at(cursor, 0), 201);
	cursor_close(cursor);
	rundb_show_rows(db, "squares", NULL, NULL);
}

TEST_WITH(wrong_quantiles_are_errors, open_database, close_database)
{
	static const char *const wrong[] = {
		"WITH t(x) AS (VALUES (1), (2)) SELECT quantile(x, 1.5) FROM t",
		"WITH t(x) AS (VALUES (1), (2)) SELECT quantile(x, NULL) FROM t",
		"WITH t(x) AS (VALUES (1), ('a')) SELECT median(x) FROM t",
		"SELECT 'a' REGEXP '('",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct cursor *cursor;

		cursor = rundb_query_foreign(db, wrong[i]);
		assert_fails(cursor_next(cursor), "sql: ");
		cursor_close(cursor);
	}
}

TEST_WITH(regexp_matches, open_database, close_database)
{
	assert_true(real_of("WITH t(x) AS (VALUES ('ab'), ('b'), ('abb'), (NULL)) "
			    "SELECT COUNT(*) FROM t WHERE x REGEXP '^ab+$'") == 2);
}

/* Every public view, whatever is added to the schema later. */
TEST_WITH(views_are_limited_to_a_run, open_database, close_database)
{
	sqlite3_stmt *names;
	int view_count = 0;

	execute("INSERT INTO run (run_id, token, complete) VALUES (1, 'a', 1), (2, 'b', "
		"1);"
		"INSERT INTO process (process_id, run_id, pid, complete) "
		"VALUES (1, 1, 10, 1), (2, 2, 20, 1);"
		"INSERT INTO trust (run_id, name, value) VALUES (1, 'x', 1), (2, 'x', "
		"2)");
	assert_true(real_of("SELECT COUNT(*) FROM runs") == 2);
	rundb_limit_views(db, 2);
	assert_true(real_of("SELECT COUNT(*) FROM runs") == 1);
	assert_true(real_of("SELECT pid FROM processes") == 20);
	assert_true(real_of("SELECT SUM(value) FROM trust") == 2);
	assert_true(real_of("SELECT COUNT(*) FROM main.runs") == 2);
	assert_int_equal(sqlite3_prepare_v2(rundb_handle(db),
					    "SELECT name FROM main.sqlite_master "
					    "WHERE type = 'view'",
					    -1, &names, NULL),
			 SQLITE_OK);
	for (; sqlite3_step(names) == SQLITE_ROW; view_count++) {
		char *sql = sqlite3_mprintf("SELECT COUNT(*) FROM %s WHERE run_id != 2",
					    sqlite3_column_text(names, 0));

		assert_true(real_of(sql) == 0);
		sqlite3_free(sql);
		sql = sqlite3_mprintf("SELECT COUNT(*) FROM temp.%s",
				      sqlite3_column_text(names, 0));
		assert_true(real_of(sql) >= 0);
		sqlite3_free(sql);
	}
	sqlite3_finalize(names);
	assert_true(view_count > 15);
	/* and the connection still only reads */
	assert_int_equal(
		sqlite3_exec(rundb_handle(db), "DELETE FROM run", NULL, NULL, NULL),
		SQLITE_READONLY);
}

TEST_WITH(hostile_patterns_are_errors, open_database, close_database)
{
	static const char *const wrong[] = {
		"SELECT 'a' REGEXP '((a{1,255}){1,255}){1,255}'",
		"SELECT 'aa' REGEXP '(a*)*\\1'",
		"SELECT 'a' REGEXP '(((((((((((^a?)+)+)+)+)+)+)+)+)+)+)+'",
		"SELECT 'a' REGEXP printf('%.*c', 5000, 'a')",
		"SELECT printf('%.*c', 70000, 'a') REGEXP 'a'",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct cursor *cursor;

		cursor = rundb_query_foreign(db, wrong[i]);
		assert_true(FAILS(cursor_next(cursor)));
		cursor_close(cursor);
	}
	assert_true(real_of("SELECT '2026-01-02' REGEXP '^[0-9]{4}(-[0-9]{1,2}){2}$'") ==
		    1);
}

TEST_WITH(queries_end, open_database, close_database)
{
	static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
				      "i + 1 FROM n) SELECT MAX(i) FROM n";
	static const char sorted[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
				     "i + 1 FROM n) SELECT i FROM n ORDER BY -i";
	static const char rows[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
				   "i + 1 FROM n) SELECT i, 'text' FROM n";
	const struct limits usual = {LIMITS_CPU_MS, LIMITS_QUERY_CPU_MS,
				     LIMITS_MEMORY_BYTES};
	const struct limits little = {200, 200, 64 << 20}, few = {0, 0, 16 << 20};
	struct cursor *cursor;

	limits_set(&little);
	cursor = rundb_query_foreign(db, endless);
	assert_fails(cursor_next(cursor), "sql: the query took more than 0.2 s of "
					  "processor time; --no-limits lets it go on");
	cursor_close(cursor);
	cursor = rundb_query(db, endless);
	assert_fails(cursor_next(cursor), "memory.db: a query took more than");
	cursor_close(cursor);
	limits_set(&few);
	cursor = rundb_query_foreign(db, sorted);
	assert_fails(cursor_next(cursor), "sql: the query needs more than 16 MiB of "
					  "memory; --no-limits lets it go on");
	cursor_close(cursor);
	cursor = rundb_query_foreign(db, rows);
	assert_fails(while (cursor_next(cursor));, "has a result of more than 16 MiB");
	cursor_close(cursor);
	limits_set(&usual);
}

/* Each of these is twice as long to prepare as the one before. */
TEST_WITH(views_of_views_end, open_database, close_database)
{
	char sql[200];

	execute("CREATE VIEW v0 AS SELECT 1 AS x");
	for (int i = 1; i < 64; i++) {
		snprintf(sql, sizeof(sql),
			 "CREATE VIEW v%d AS SELECT x FROM v%d UNION ALL SELECT x FROM "
			 "v%d",
			 i, i - 1, i - 1);
		execute(sql);
	}
	assert_true(FAILS(rundb_query_foreign(db, "SELECT x FROM v63")));
}

TEST_WITH(foreign_queries_only_read, open_database, close_database)
{
	static const char *const refused[] = {
		"DELETE FROM run",	   "CREATE TABLE x(a)",
		"ATTACH '/dev/null' AS x", "",
		"PRAGMA query_only = OFF", "SELECT 1; SELECT 2",
		"SELECT nonsense",	   "-- nothing",
		"VACUUM INTO 'copy.db'",   "SELECT load_extension('x')",
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct cursor *cursor = NULL;

		assert_true(FAILS(cursor = rundb_query_foreign(db, refused[i]);
				  cursor_next(cursor)));
		cursor_close(cursor);
	}
	assert_true(real_of("PRAGMA table_info(run)") == 0);
}

TEST_WITH(tables_take_what_fits, open_database, close_database)
{
	static const struct column columns[] = {
		{"name", NULL, COLUMN_NAME, 0},	   {"file", NULL, COLUMN_LOCATION, 0},
		{"calls", NULL, COLUMN_COUNT, 0},  {"missing", NULL, COLUMN_COUNT, 0},
		{"anything", NULL, COLUMN_ANY, 0},
	};
	struct table *table = table_new(columns, 5);
	struct cursor *cursor;

	cursor = rundb_query(db, "SELECT 7 AS name, 'a.c' AS file, 12 AS line, 'many' AS "
				 "calls, x'01ff' AS anything");
	cursor_fill(cursor, table);
	assert_int_equal(table->row_count, 1);
	assert_int_equal(table_row(table, 0)[0].kind, CELL_NULL);
	assert_string_equal(table_row(table, 0)[1].text, "a.c");
	assert_int_equal(table_row(table, 0)[1].line, 12);
	assert_int_equal(table_row(table, 0)[2].kind, CELL_NULL);
	assert_int_equal(table_row(table, 0)[3].kind, CELL_NULL);
	assert_string_equal(table_row(table, 0)[4].text, "01ff");
	table_free(table);
}

TEST_WITH(failing_queries_have_no_rows, open_database, close_database)
{
	static const char *const queries[] = {
		"SELECT nonsense", "SELECT 1 FROM nowhere",
		("SELECT sum(9223372036854775807) OVER () FROM "
		 "(SELECT 1 UNION ALL SELECT 2)"),
		/* no file can make these right */
		"SELECT 1 FROM", "SELECT nothing_known(1)"};

	for (size_t i = 0; i < 5; i++) {
		assert_fails(cursor_next(rundb_query(db, queries[i])), "memory.db");
		assert_int_equal(!strstr(unit_sentence, "asked wrongly"), i < 3);
		assert_int_equal(!strstr(unit_sentence, "is damaged"), i >= 3);
	}
}

TEST_WITH(runs_are_chosen, open_database, close_database)
{
	int64_t run_id = 0;

	assert_int_equal(select_run(db, NULL, &run_id, &error), -ENOENT);
	assert_non_null(strstr(strbuf_text(&error), "holds no run"));
	execute("INSERT INTO run (run_id, token, label, complete) VALUES "
		"(1, 'a', 'before', 1), (2, 'b', 'before', 1), (3, 'c', '7', 1), "
		"(4, 'd', NULL, 1)");
	assert_int_equal(select_run(db, NULL, &run_id, &error), 0);
	assert_int_equal(run_id, 4);
	assert_int_equal(select_run(db, "1", &run_id, &error), 0);
	assert_int_equal(run_id, 1);
	assert_int_equal(select_run(db, "before", &run_id, &error), 0);
	assert_int_equal(run_id, 2);
	assert_int_equal(select_run(db, "7", &run_id, &error), 0); /* no such number */
	assert_int_equal(run_id, 3);
	strbuf_reset(&error);
	assert_int_equal(select_run(db, "befor", &run_id, &error), -ENOENT);
	assert_non_null(strstr(strbuf_text(&error), "did you mean 'before'"));
	assert_int_equal(select_run(db, "99999999999999999999", &run_id, &error),
			 -ENOENT);
	assert_int_equal(select_run(db, "", &run_id, &error), -ENOENT);
}
