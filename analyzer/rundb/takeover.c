/* SPDX-License-Identifier: MIT */
/*
 * Opening a run.db that may have an unfinished run beside it. Runs on: prof-analyze,
 * main thread; may wait for seconds. Must not print (it talks through callbacks), or
 * touch a spool somebody watches.
 */
#include "analyzer/rundb/takeover.h"

#include "analyzer/rundb/select.h"
#include "common/base/xalloc.h"
#include "collector/store/spool.h"
#include "collector/store/store.h"

#include "select.sql.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_LIMIT_MS 30000
#define WAIT_STEP_MS 50
/* Even with --no-wait a moment's writing is no reason to fail. */
#define LOCK_PATIENCE_MS 300

struct opening {
	const char *path;
	bool want_latest;
	const struct takeover_talk *talk;
	unsigned waited_ms;
	struct spool_run live; /* when has_live */
	bool has_live;
	bool has_said_foreign;
};

static void wait_step(struct opening *opening, const char *what)
{
	struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000L};

	if (opening->talk->progress)
		opening->talk->progress(opening->talk->context, what, opening->waited_ms);
	nanosleep(&step, NULL);
	opening->waited_ms += WAIT_STEP_MS;
}

static void say(const struct opening *opening, const struct strbuf *sentence)
{
	opening->talk->say(opening->talk->context, strbuf_text(sentence));
}

/* Called while somebody else has locked the database. */
static int wait_for_lock(void *context, unsigned waited_ms)
{
	struct opening *opening = context;
	bool goes_on = !opening->talk->no_wait || waited_ms < LOCK_PATIENCE_MS;

	if (goes_on && opening->talk->progress)
		opening->talk->progress(opening->talk->context,
					"the recording is locked by another program; "
					"waiting (--no-wait goes on without)",
					waited_ms);
	return goes_on;
}

/* Gives the memory back that was needed to put the run together. */
static void run_stays(void *context)
{
	const struct spool_run *run = context;

	fprintf(stderr, "prof-analyze: the run stays in %s; read it with more memory\n",
		run->directory);
}

/* Recovers one abandoned run. True: somebody else took it meanwhile, so the spool must be
 * looked at again. */
static bool recover(struct opening *opening, const struct spool_run *run)
{
	const struct store_waiting waiting = {.locked = wait_for_lock,
					      .context = opening};
	char reason[512] = "";
	ended_by(strbuf_free) struct strbuf sentence = {0};
	int result;

	if (opening->talk->progress)
		opening->talk->progress(opening->talk->context, "recovering a run",
					opening->waited_ms);
	xalloc_before_end(run_stays, (void *)run);
	result = spool_recover(run, opening->path, &waiting, reason, sizeof(reason));
	xalloc_before_end(NULL, NULL);
	if (result == 0) {
		strbuf_printf(&sentence,
			      "assembled a run from %s, which has no collector",
			      run->directory);
		say(opening, &sentence);
	} else if (result != -EAGAIN) {
		strbuf_printf(&sentence, "cannot recover the run in %s: %s",
			      run->directory, *reason ? reason : strerror(-result));
		say(opening, &sentence);
		/* It cannot be stored, but it can be shown. */
		opening->live = *run;
		opening->has_live = true;
	}
	return result == -EAGAIN;
}

/* Says it once: the spool is looked at repeatedly while a collector works in it. */
static void say_foreign(struct opening *opening, const struct spool_run *run)
{
	ended_by(strbuf_free) struct strbuf sentence = {0};

	if (opening->has_said_foreign)
		return;
	opening->has_said_foreign = true;
	strbuf_printf(&sentence,
		      "left %s alone: it belongs to %s, and only that user's "
		      "prof-analyze takes it over",
		      run->directory, run->owner);
	say(opening, &sentence);
}

/* Whether nothing is stored: no file, or an empty one, as a collector makes when it
 * begins to write, or mktemp. */
static bool is_blank(const char *path)
{
	struct stat status;

	return stat(path, &status) < 0 ||
	       (S_ISREG(status.st_mode) && status.st_size == 0);
}

/* Whether the run being stored is older than the latest one in the file. It will not
 * become the latest, so a user who asked for that need not wait. */
static bool is_behind(const struct opening *opening, const char *token)
{
	ended_by(strbuf_free) struct strbuf unused = {0};
	struct cursor *cursor;
	struct rundb *db;
	bool is_behind = false;

	if (!is_blank(opening->path) && rundb_open(opening->path, &db, &unused) == 0) {
		cursor = rundb_query(db, select_sql_behind);
		cursor_bind_text(cursor, ":token", token);
		is_behind = cursor_next(cursor);
		cursor_close(cursor);
		rundb_close(db);
	}
	return is_behind;
}

/* Looks at the spool once. True: there is something to wait for. */
static bool look(struct opening *opening)
{
	auto_free struct spool_run *runs = NULL;
	size_t count = 0;
	bool again = false;

	opening->has_live = false;
	if (spool_list(opening->path, &runs, &count) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		switch (runs[i].state) {
		case SPOOL_FINISHING:
			if (opening->want_latest && is_behind(opening, runs[i].token))
				break;
			again = true;
			if (!opening->talk->no_wait)
				break;
			opening->live = runs[i];
			opening->has_live = true;
			break;
		case SPOOL_ABANDONED:
			again |= recover(opening, &runs[i]);
			break;
		case SPOOL_FOREIGN:
			say_foreign(opening, &runs[i]);
			break;
		case SPOOL_RECORDING:
		case SPOOL_UNATTENDED:
			opening->live = runs[i];
			opening->has_live = true;
			break;
		}
	}
	return again;
}

static void settle(struct opening *opening)
{
	ended_by(strbuf_free) struct strbuf sentence = {0};

	while (look(opening)) {
		if (opening->talk->no_wait) {
			if (!opening->want_latest)
				strbuf_printf(&sentence,
					      "%s: a collector is still writing a run; "
					      "this is the state before it",
					      opening->path);
			break;
		}
		if (opening->waited_ms >= WAIT_LIMIT_MS) {
			strbuf_printf(&sentence,
				      "%s: a collector has been writing a run for more "
				      "than %d s; this is the state before it",
				      opening->path, WAIT_LIMIT_MS / 1000);
			break;
		}
		wait_step(opening, "waiting for the collector to write the run "
				   "(--no-wait goes on without)");
	}
	if (opening->talk->progress)
		opening->talk->progress(opening->talk->context, NULL, 0);
	if (sentence.size)
		say(opening, &sentence);
}

static int open_live(const struct opening *opening, struct rundb **ret_db,
		     struct strbuf *error)
{
	char reason[512] = "";
	struct rundb *db;
	int result = rundb_open_memory(opening->path, &db, error);

	if (result < 0)
		return result;
	result =
		spool_read_live(&opening->live, rundb_handle(db), reason, sizeof(reason));
	if (result < 0) {
		strbuf_printf(error, "%s: cannot read the run being recorded: %s",
			      opening->path, *reason ? reason : strerror(-result));
		rundb_close(db);
		return result;
	}
	if (opening->live.state == SPOOL_RECORDING ||
	    opening->live.state == SPOOL_UNATTENDED)
		*rundb_live(db) = (struct rundb_live){
			.pid = opening->live.first_pid,
			.is_attended = opening->live.state == SPOOL_RECORDING};
	*ret_db = db;
	return 0;
}

/* Opens the run with the given number if it is stored already: nothing in the spool will
 * change it. */
static bool open_stored(const char *path, const char *run, struct rundb **ret_db)
{
	ended_by(strbuf_free) struct strbuf unused = {0};
	struct rundb *db;
	int64_t run_id;
	bool is_there = false;

	if (!run || !*run || run[strspn(run, "0123456789")] || is_blank(path))
		return false;
	if (rundb_open(path, &db, &unused) == 0) {
		is_there = select_run(db, run, &run_id, &unused) == 0;
		if (is_there)
			*ret_db = db;
		else
			rundb_close(db);
	}
	return is_there;
}

static int open_after_spool(struct opening *opening, struct rundb **ret_db,
			    struct strbuf *error)
{
	const char *path = opening->path;
	struct strbuf reason = {0};
	bool is_live = false;
	int result = -ENOENT;

	/* A run being recorded may be stored, and its spool gone, by the time it is read:
	 * on a busy machine that happened to every fifth program that had just crashed.
	 * So a failure is followed by one more look. */
	for (int looks = 0; looks < 2; looks++) {
		settle(opening);
		if (!opening->has_live)
			break;
		strbuf_reset(&reason);
		is_live = opening->want_latest || is_blank(path);
		result = is_live ? open_live(opening, ret_db, &reason)
				 : rundb_open(path, ret_db, &reason);
		if (result == 0 || opening->live.state == SPOOL_ABANDONED)
			break;
	}
	if (result < 0 && opening->has_live && is_live)
		say(opening, &reason);
	strbuf_free(&reason);
	if (result == 0 && !is_live && opening->live.state != SPOOL_ABANDONED)
		rundb_live(*ret_db)->running_pid = opening->live.first_pid;
	return result == 0 ? 0 : rundb_open(path, ret_db, error);
}

int takeover_open(const char *path, bool want_latest, const struct takeover_talk *talk,
		  struct rundb **ret_db, struct strbuf *error)
{
	struct opening opening = {.path = path, .want_latest = want_latest, .talk = talk};
	int result;

	rundb_on_lock(wait_for_lock, &opening);
	result = open_stored(path, talk->run, ret_db)
			 ? 0
			 : open_after_spool(&opening, ret_db, error);
	rundb_on_lock(NULL, NULL);
	if (talk->progress)
		talk->progress(talk->context, NULL, 0);
	return result;
}
