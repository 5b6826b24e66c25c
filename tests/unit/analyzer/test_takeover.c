/* SPDX-License-Identifier: MIT */
/* What this is: what is done about spools before opening, with a spool that is acted. */
#include "analyzer/rundb/takeover.h"
#include "collector/store/spool.h"
#include "tests/unit/tests.h"

#include <errno.h>
#include <sqlite3.h>
#include <unistd.h>

/* The act: states that spool_list() gives one after another; the last one stays. */
static enum spool_state states[8];
static size_t state_count, list_calls, recover_calls, live_calls;
static int recover_result, live_result;
static struct strbuf said;
static size_t progress_calls;
static bool no_wait;
static const char nowhere[] = "/nonexistent/x.db";
static const char *path = nowhere;

int spool_list(const char *output, struct spool_run **ret_runs, size_t *ret_count)
{
	size_t now = list_calls < state_count ? list_calls : state_count;

	assert_non_null(output);
	list_calls++;
	*ret_count = now < state_count;
	*ret_runs = NULL;
	if (*ret_count) {
		*ret_runs = calloc(1, sizeof(**ret_runs));
		(*ret_runs)->state = states[now];
		(*ret_runs)->first_pid = 4711;
		snprintf((*ret_runs)->directory, sizeof((*ret_runs)->directory),
			 "x.db-spool/0123");
	}
	return 0;
}

int spool_recover(const struct spool_run *run, const char *output,
		  const struct store_waiting *waiting, char *error, size_t error_size)
{
	(void)waiting;
	assert_int_equal(run->state, SPOOL_ABANDONED);
	assert_string_equal(output, path);
	recover_calls++;
	if (recover_result < 0)
		snprintf(error, error_size, "no room");
	return recover_result;
}

int spool_read_live(const struct spool_run *run, struct sqlite3 *db, char *error,
		    size_t error_size)
{
	(void)run;
	live_calls++;
	if (live_result < 0)
		snprintf(error, error_size, "damaged");
	else
		sqlite3_exec(
			db,
			"INSERT INTO run (run_id, token, complete) VALUES (1, 't', 0)",
			NULL, NULL, NULL);
	return live_result;
}

static void say(void *context, const char *sentence)
{
	(void)context;
	strbuf_printf(&said, "%s|", sentence);
}

static void progress(void *context, const char *what, unsigned waited_ms)
{
	(void)context, (void)waited_ms;
	progress_calls += what != NULL;
}

static int open_now(bool want_latest, struct rundb **ret_db)
{
	const struct takeover_talk talk = {
		.say = say, .progress = progress, .no_wait = no_wait};
	struct strbuf error = {0};
	int result;

	list_calls = recover_calls = live_calls = progress_calls = 0;
	strbuf_reset(&said);
	*ret_db = NULL;
	result = takeover_open(path, want_latest, &talk, ret_db, &error);
	assert_int_equal(result<0, error.size> 0);
	strbuf_free(&error);
	return result;
}

static void act(enum spool_state first, size_t count)
{
	states[0] = first;
	state_count = count;
	recover_result = live_result = 0;
}

TEST(nothing_to_do)
{
	struct rundb *db;

	act(SPOOL_RECORDING, 0);
	assert_int_equal(open_now(true, &db), -ENOENT);
	assert_int_equal(said.size, 0);
}

TEST(a_writing_collector_is_waited_for)
{
	struct rundb *db;

	act(SPOOL_FINISHING, 1);
	assert_int_equal(open_now(true, &db), -ENOENT);
	assert_int_equal(list_calls, 2);
	assert_int_equal(progress_calls, 1);
}

TEST(no_wait_takes_what_is_there)
{
	struct rundb *db;

	act(SPOOL_FINISHING, 8);
	no_wait = true;
	for (size_t i = 0; i < 8; i++)
		states[i] = SPOOL_FINISHING;
	assert_int_equal(open_now(true, &db), 0);
	assert_int_equal(list_calls, 1);
	assert_int_equal(live_calls, 1);
	assert_int_equal(rundb_live(db)->pid, 0);
	rundb_close(db);
	no_wait = false;
}

TEST(an_abandoned_run_is_recovered)
{
	struct rundb *db;

	act(SPOOL_ABANDONED, 1);
	open_now(false, &db);
	assert_int_equal(recover_calls, 1);
	assert_non_null(strstr(strbuf_text(&said), "assembled a run"));
	/* Somebody else was faster: look again. */
	act(SPOOL_ABANDONED, 1);
	recover_result = -EAGAIN;
	open_now(true, &db);
	assert_int_equal(list_calls, 2);
	assert_int_equal(said.size, 0);
}

TEST(what_cannot_be_stored_is_shown)
{
	struct rundb *db;

	act(SPOOL_ABANDONED, 1);
	recover_result = -ENOSPC;
	assert_int_equal(open_now(true, &db), 0);
	assert_int_equal(live_calls, 1);
	assert_int_equal(rundb_live(db)->pid, 0);
	assert_non_null(strstr(strbuf_text(&said), "no room"));
	rundb_close(db);
}

TEST(a_living_run_is_read)
{
	struct rundb *db;

	act(SPOOL_RECORDING, 1);
	assert_int_equal(open_now(true, &db), 0);
	assert_int_equal(rundb_live(db)->pid, 4711);
	rundb_close(db);
	act(SPOOL_UNATTENDED, 1);
	assert_int_equal(open_now(true, &db), 0);
	assert_int_equal(rundb_live(db)->pid, 4711);
	rundb_close(db);
	act(SPOOL_RECORDING, 2);
	states[1] = SPOOL_RECORDING;
	live_result = -EIO;
	assert_int_equal(open_now(true, &db), -ENOENT);
	assert_non_null(strstr(strbuf_text(&said), "damaged"));
}

/* The program died, and its collector took the spool away while it was being read. */
TEST(a_run_stored_meanwhile_is_waited_for)
{
	struct rundb *db;

	act(SPOOL_RECORDING, 2);
	states[1] = SPOOL_FINISHING;
	live_result = -ENOENT;
	assert_int_equal(open_now(true, &db), -ENOENT);
	assert_int_equal(list_calls, 3);
	assert_int_equal(said.size, 0);
}

/* Its collector has made the file, or the user has, and nothing is in it yet. */
TEST(an_empty_file_is_no_database)
{
	char empty[] = "/tmp/profshim-takeover-XXXXXX";
	int fd = mkstemp(empty);
	struct rundb *db;

	assert_true(fd >= 0);
	path = empty;
	act(SPOOL_RECORDING, 1);
	assert_int_equal(open_now(false, &db), 0);
	assert_int_equal(live_calls, 1);
	rundb_close(db);
	/* Half of it is there: it is being written. */
	assert_int_equal(pwrite(fd, "SQLite format 3", 16, 0), 16);
	act(SPOOL_RECORDING, 2);
	states[1] = SPOOL_FINISHING;
	assert_int_equal(open_now(false, &db), -EINVAL);
	assert_int_equal(live_calls, 0);
	assert_int_equal(list_calls, 3);
	path = nowhere;
	close(fd);
	unlink(empty);
}

static int clean_up(void **state)
{
	(void)state;
	strbuf_free(&said);
	return 0;
}

TEST_GROUP(NULL, clean_up)
