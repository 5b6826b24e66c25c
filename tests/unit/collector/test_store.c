/* SPDX-License-Identifier: MIT */
/*
 * What this is:  run.db as it is made, appended to, replaced in and refused.
 * Runs on:       tests.
 * See also:      collector/store/store.h
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/ingest/ingest.h"
#include "common/schema.h"
#include "collector/store/store.h"
#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

struct fixture {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	struct make_lane lane;
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint32_t slot, node;

	make_run(&f->run, MAKE_TOKEN);
	make_file(&f->file, &f->run, "100-1");
	f->process = make_process(&f->file, 100, MAKE_START, MAKE_START + 5000, &slot);
	make_lane(&f->lane, &f->file, f->process, slot);
	node = make_call(&f->lane, 1, 0x1000, 1, 1000);
	make_call(&f->lane, node, 0x2000, 5, 500);
	make_site(f->process, &f->lane, node, 2, 20, 1, 10);
	*state = f;
	return 0;
}

static int finish(void **state)
{
	struct fixture *f = *state;

	make_file_free(&f->file);
	make_run_free(&f->run);
	free(f);
	return 0;
}

static void must_refuse(struct fixture *f, int expected, const char *words)
{
	char error[512] = "";

	assert_int_equal(check_store(&f->run, &f->file, 1, error, sizeof(error)),
			 expected);
	if (!strstr(error, words) || !strstr(error, f->run.output) || strchr(error, '\n'))
		fail_msg("%s", error);
}

TEST_FIXTURE(identity, begin, finish)
{
	struct sqlite3 *db;
	char path[256];

	check_must_store(&f->run, &f->file, 1);
	db = check_output(&f->run);
	assert_int_equal(check_int(db, "PRAGMA application_id"), RUNDB_APPLICATION_ID);
	assert_int_equal(check_int(db, "PRAGMA user_version"), RUNDB_SCHEMA_VERSION);
	check_rows(db, "PRAGMA journal_mode", "delete");
	check_rows(db, "PRAGMA integrity_check", "ok");
	check_rows(db,
		   "SELECT run_id, label, command, cwd, level, started_utc, clock, "
		   "cpu_count "
		   "FROM runs",
		   "1|made|made 'it'\\''s one'|/somewhere|exact|2023-11-14T22:13:20.123Z|"
		   "monotonic|2");
	check_rows(db, "SELECT token FROM run", "0000000000000001");
	sqlite3_close(db);
	snprintf(path, sizeof(path), "%s-journal", f->run.output);
	assert_int_equal(access(path, F_OK), -1);
}

TEST_FIXTURE(appended, begin, finish)
{
	struct sqlite3 *db;

	check_must_store(&f->run, &f->file, 1);
	check_must_store(&f->run, &f->file, 2);
	check_must_store(&f->run, &f->file, 3);
	db = check_output(&f->run);
	check_rows(db, "SELECT run_id, complete FROM runs", "1|1;2|1;3|1");
	check_rows(db, "SELECT run_id, path_id, parent_path_id, function_id FROM path",
		   "1|1||1;1|2|1|2;2|3||3;2|4|3|4;3|5||5;3|6|5|6");
	check_rows(db, "SELECT run_id, site_id, path_id FROM site", "1|1|1;2|2|3;3|3|5");
	check_rows(db, "PRAGMA foreign_key_check", "");
	sqlite3_close(db);
}

/* A run that is stored again replaces itself and nothing else. */
TEST_FIXTURE(replaced, begin, finish)
{
	struct sqlite3 *db;

	check_must_store(&f->run, &f->file, 1);
	check_must_store(&f->run, &f->file, 2);
	f->lane.nodes[3].call_count = 6;
	check_must_store(&f->run, &f->file, 1);
	db = check_output(&f->run);
	check_rows(db, "SELECT run_id, token FROM run",
		   "1|0000000000000001;2|0000000000000002");
	check_rows(db, "SELECT run_id, SUM(calls), COUNT(*) FROM path GROUP BY run_id",
		   "1|7|2;2|6|2");
	check_rows(db,
		   "SELECT COUNT(*) = 2 * COUNT(DISTINCT name), COUNT(DISTINCT run_id) "
		   "FROM trust",
		   "1|2");
	check_rows(db, "PRAGMA foreign_key_check", "");
	check_rows(db, "PRAGMA integrity_check", "ok");
	sqlite3_close(db);
}

static void write_file(const struct fixture *f, const char *text, size_t size)
{
	int fd = open(f->run.output, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	close(fd);
}

TEST_WITH(not_a_database, begin, finish)
{
	char text[2000];

	memset(text, 'x', sizeof(text));
	write_file(*state, text, sizeof(text));
	must_refuse(*state, -EINVAL, "is not an SQLite database");
}

TEST_FIXTURE(empty_file, begin, finish)
{
	write_file(f, "", 0);
	check_must_store(&f->run, &f->file, 1);
}

static void execute(const struct fixture *f, const char *sql)
{
	struct sqlite3 *db = check_output(&f->run);

	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

TEST_WITH(foreign_database, begin, finish)
{
	execute(*state, "CREATE TABLE mine (text TEXT)");
	must_refuse(*state, -EINVAL, "another program's");
}

TEST_WITH(newer_and_older_database, begin, finish)
{
	struct fixture *f = *state;

	check_must_store(&f->run, &f->file, 1);
	execute(*state, "PRAGMA user_version = 99");
	must_refuse(*state, -EINVAL, "a newer version");
	execute(*state, "PRAGMA user_version = 1");
	must_refuse(*state, -EINVAL, "an older version");
}

TEST_FIXTURE(cut_database, begin, finish)
{
	check_must_store(&f->run, &f->file, 1);
	assert_int_equal(truncate(f->run.output, 5000), 0);
	must_refuse(f, -EINVAL, "is damaged");
}

TEST_FIXTURE(directory_in_the_way, begin, finish)
{
	assert_int_equal(mkdir(f->run.output, 0700), 0);
	must_refuse(f, -EINVAL, "is not a file");
	assert_int_equal(rmdir(f->run.output), 0);
}

TEST_FIXTURE(missing_directory, begin, finish)
{
	char kept[sizeof(f->run.output)];

	strcpy(kept, f->run.output);
	strcpy(f->run.output, "/nowhere-at-all/run.db");
	must_refuse(f, -EACCES, "No such file or directory");
	strcpy(f->run.output, kept);
}

TEST_FIXTURE(write_ahead_log_is_ended, begin, finish)
{
	struct sqlite3 *db;

	check_must_store(&f->run, &f->file, 1);
	execute(f, "PRAGMA journal_mode = WAL");
	check_must_store(&f->run, &f->file, 2);
	db = check_output(&f->run);
	check_rows(db, "PRAGMA journal_mode", "delete");
	sqlite3_close(db);
}

/* Several collectors that end at the same time on a file that is not there yet. */
TEST_FIXTURE(concurrent_writers, begin, finish)
{
	struct sqlite3 *db;
	int status;

	for (uint64_t token = 1; token <= 8; token++) {
		char error[512];

		f->run.page->token = f->run.state->token = f->file.file->token = token;
		if (fork() == 0) {
			/* the token in the mapped page is shared: take a copy */
			static const struct ingest_watch nothing;
			struct ingest ingest;

			if (ingest_load(&ingest, &f->run.rundir, &nothing, error,
					sizeof(error)) < 0)
				_exit(1);
			ingest.run.page.token = token;
			if (store_run(f->run.output, &ingest, NULL, NULL, error,
				      sizeof(error)) < 0) {
				fprintf(stderr, "%s\n", error);
				_exit(2);
			}
			_exit(0);
		}
		usleep(500);
	}
	for (int i = 0; i < 8; i++) {
		assert_true(wait(&status) > 0);
		assert_int_not_equal(WEXITSTATUS(status), 2);
	}
	db = check_output(&f->run);
	check_rows(db, "SELECT COUNT(*) > 0, COUNT(*) = COUNT(DISTINCT token) FROM run",
		   "1|1");
	check_rows(db, "PRAGMA foreign_key_check", "");
	sqlite3_close(db);
}
