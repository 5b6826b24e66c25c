/* SPDX-License-Identifier: MIT */
/*
 * What this is:  run.db where somebody else was first: links, other people's files and
 *                journals, changed schemas, half a run of a dead writer.
 * Runs on:       tests; what needs a second user is skipped but for root.
 * See also:      collector/store/held.h, guard.h, store.h
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/ingest/ingest.h"
#include "common/schema.h"
#include "collector/store/store.h"
#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

#define NOBODY 65534

struct fixture {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	struct make_lane lane;
	char other[192], parent[160];
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint32_t slot;

	make_run(&f->run, MAKE_TOKEN);
	make_file(&f->file, &f->run, "100-1");
	f->process = make_process(&f->file, 100, MAKE_START, MAKE_START + 5000, &slot);
	make_lane(&f->lane, &f->file, f->process, slot);
	make_call(&f->lane, 1, 0x1000, 1, 1000);
	snprintf(f->parent, sizeof(f->parent), "%.*s",
		 (int)(strrchr(f->run.output, '/') - f->run.output), f->run.output);
	snprintf(f->other, sizeof(f->other), "%s/other", f->parent);
	umask(022);
	*state = f;
	return 0;
}

static int finish(void **state)
{
	struct fixture *f = *state;

	unlink(f->other);
	make_file_free(&f->file);
	make_run_free(&f->run);
	free(f);
	return 0;
}

static void must_refuse(struct fixture *f, int expected, const char *words)
{
	char error[512] = "";

	assert_int_equal(check_store(&f->run, &f->file, 77, error, sizeof(error)),
			 expected);
	if (!strstr(error, words) || !strstr(error, f->run.output) || strchr(error, '\n'))
		fail_msg("%s", error);
}

static void execute(const struct fixture *f, const char *sql)
{
	struct sqlite3 *db = check_output(&f->run);

	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_mode & 07777;
}

static void need_root(void)
{
	if (geteuid() != 0)
		skip();
}

static char *beside(const struct fixture *f, const char *suffix)
{
	static char path[192];

	snprintf(path, sizeof(path), "%s%s", f->run.output, suffix);
	return path;
}

TEST_FIXTURE(a_new_file_is_private, begin, finish)
{
	check_must_store(&f->run, &f->file, 1);
	assert_int_equal(mode_of(f->run.output), 0600);
	assert_int_equal(chmod(f->run.output, 0640), 0);
	check_must_store(&f->run, &f->file, 2);
	assert_int_equal(mode_of(f->run.output), 0640);
}

/* The user's own link to a file that is not there yet, in the user's own directory. */
TEST_FIXTURE(an_own_link_is_followed, begin, finish)
{
	assert_int_equal(symlink("other", f->run.output), 0);
	check_must_store(&f->run, &f->file, 1);
	check_must_store(&f->run, &f->file, 2);
	assert_int_equal(mode_of(f->other), 0600);
}

TEST_FIXTURE(a_link_where_others_may_write_is_not, begin, finish)
{
	assert_int_equal(symlink("other", f->run.output), 0);
	assert_int_equal(chmod(f->parent, 0777), 0);
	must_refuse(f, -ELOOP, "symbolic link");
	assert_int_equal(access(f->other, F_OK), -1);
	assert_int_equal(chmod(f->parent, 0700), 0);
}

TEST_FIXTURE(a_link_of_others_is_not_followed, begin, finish)
{
	need_root();
	assert_int_equal(symlink("other", f->run.output), 0);
	assert_int_equal(lchown(f->run.output, NOBODY, NOBODY), 0);
	must_refuse(f, -ELOOP, "symbolic link");
	assert_int_equal(access(f->other, F_OK), -1);
}

TEST_FIXTURE(a_second_name_is_refused, begin, finish)
{
	check_must_store(&f->run, &f->file, 1);
	assert_int_equal(link(f->run.output, f->other), 0);
	must_refuse(f, -EACCES, "has 2 names");
}

TEST_FIXTURE(a_file_of_others_is_refused, begin, finish)
{
	need_root();
	check_must_store(&f->run, &f->file, 1);
	assert_int_equal(chown(f->run.output, NOBODY, NOBODY), 0);
	must_refuse(f, -EACCES, "belongs to nobody, not to root");
}

static void plant(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* A journal that is there when the file is opened would be written into it. */
TEST_FIXTURE(journals_of_others_are_refused, begin, finish)
{
	static const char *const suffixes[] = {"-journal", "-wal"};

	need_root();
	check_must_store(&f->run, &f->file, 1);
	for (int i = 0; i < 2; i++) {
		char *path = beside(f, suffixes[i]);

		plant(path, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 planted");
		assert_int_equal(chown(path, NOBODY, NOBODY), 0);
		must_refuse(f, -EACCES, "belongs to nobody");
		assert_int_equal(unlink(path), 0);
	}
	check_must_store(&f->run, &f->file, 2);
}

TEST_FIXTURE(links_as_journals_are_refused, begin, finish)
{
	static const char *const suffixes[] = {"-journal", "-wal"};

	check_must_store(&f->run, &f->file, 1);
	plant(f->other, "precious");
	for (int i = 0; i < 2; i++) {
		char *path = beside(f, suffixes[i]);

		assert_int_equal(symlink("other", path), 0);
		must_refuse(f, -EACCES, "is a symbolic link");
		assert_int_equal(unlink(path), 0);
	}
}

/* To open one would wait for who writes into it. */
TEST_FIXTURE(a_fifo_as_journal_is_refused, begin, finish)
{
	char *path;

	check_must_store(&f->run, &f->file, 1);
	path = beside(f, "-journal");
	assert_int_equal(mkfifo(path, 0600), 0);
	must_refuse(f, -EACCES, "is not a file");
	assert_int_equal(unlink(path), 0);
}

TEST_FIXTURE(changed_schemas_are_refused, begin, finish)
{
	static const struct {
		const char *sql, *words;
	} changes[] = {
		{"CREATE TRIGGER slow AFTER INSERT ON path BEGIN SELECT 1; END",
		 "has the trigger 'slow'"},
		{"CREATE INDEX mine ON path(calls)", "has the index 'mine'"},
		{"DROP VIEW runs; CREATE VIEW runs AS WITH RECURSIVE n(i) AS (SELECT 1 "
		 "UNION ALL SELECT i + 1 FROM n) SELECT i AS run_id FROM n",
		 "has a changed view 'runs'"},
		{"ALTER TABLE trust ADD COLUMN more DEFAULT 1",
		 "has a changed table 'trust'"},
		{"DROP VIEW gpu", "lacks"},
		{"DROP VIEW gpu; CREATE TABLE gpu (a)", "has a changed table 'gpu'"},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		check_must_store(&f->run, &f->file, 1);
		execute(f, changes[i].sql);
		must_refuse(f, -EINVAL, changes[i].words);
		assert_int_equal(unlink(f->run.output), 0);
	}
}

TEST_FIXTURE(what_does_nothing_may_stay, begin, finish)
{
	check_must_store(&f->run, &f->file, 1);
	execute(f, "CREATE VIEW mine AS SELECT name FROM functions;"
		   "CREATE TABLE notes (run_id, text PRIMARY KEY); ANALYZE");
	check_must_store(&f->run, &f->file, 2);
}

/* Run 2 was being stored by somebody who died, run 3 is by somebody alive. */
static void announce(struct fixture *f, int64_t age_seconds)
{
	struct sqlite3 *db = check_output(&f->run);
	char sql[1024];

	snprintf(
		sql, sizeof(sql),
		"INSERT INTO storing VALUES (2, 'dead', %lld, 8, 8, 8, 8, 8, 8, 8, 8, 8),"
		"(3, 'alive', %lld, 50, 50, 50, 50, 50, 50, 50, 50, 50);"
		"INSERT INTO process (process_id, run_id, pid, complete) VALUES "
		"(7, 2, 1, 1), (9, 3, 1, 1);"
		"INSERT INTO snapshot_free VALUES (7, 1, 1, 1, 1, 1), (9, 1, 1, 1, 1, 1);"
		"INSERT INTO path (path_id, run_id, depth, function_id, kind, calls, "
		"total_ns, self_ns, raw_total_ns, raw_self_ns, alloc_count, "
		"alloc_bytes, live_bytes, at_peak_bytes) SELECT path_id + 5, 2, 1, 1, 0, "
		"1, 1, 1, 1, 1, 1, 1, 1, 1 FROM path;"
		"INSERT INTO path_lane (path_id, lane_id, calls, total_ns, self_ns, "
		"alloc_count, alloc_bytes) SELECT path_id, 1, 1, 1, 1, 1, 1 FROM path "
		"WHERE run_id = 2",
		(long long)(time(NULL) - age_seconds), (long long)time(NULL));
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	check_rows(db, "SELECT COUNT(*) FROM processes WHERE run_id > 1", "0");
	check_rows(db, "SELECT COUNT(*) FROM call_paths WHERE run_id > 1", "0");
	sqlite3_close(db);
}

TEST_FIXTURE(halves_of_dead_writers_are_removed, begin, finish)
{
	struct sqlite3 *db;

	check_must_store(&f->run, &f->file, 1);
	announce(f, 1000);
	check_must_store(&f->run, &f->file, 4);
	db = check_output(&f->run);
	check_rows(db, "SELECT run_id FROM storing", "3");
	check_rows(db, "SELECT DISTINCT run_id FROM process", "1;3;4");
	check_rows(db,
		   "SELECT MIN(process_id), MIN(path_id) > 50 FROM process, path "
		   "WHERE process.run_id = 4 AND path.run_id = 4",
		   "51|1");
	check_rows(db, "SELECT DISTINCT run_id FROM path", "1;4");
	check_rows(db, "SELECT COUNT(*) FROM path_lane", "0");
	check_rows(db, "SELECT process_id FROM snapshot_free", "9");
	sqlite3_close(db);
}

TEST_FIXTURE(halves_of_living_writers_stay, begin, finish)
{
	struct sqlite3 *db;

	check_must_store(&f->run, &f->file, 1);
	announce(f, 5);
	check_must_store(&f->run, &f->file, 4);
	db = check_output(&f->run);
	check_rows(db, "SELECT run_id FROM storing ORDER BY run_id", "2;3");
	check_rows(db, "SELECT DISTINCT run_id FROM process", "1;2;3;4");
	check_rows(db, "SELECT run_id FROM runs", "1;4");
	sqlite3_close(db);
}
