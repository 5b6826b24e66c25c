/* SPDX-License-Identifier: MIT */
/*
 * Takes runs out of an archive into a run.db in memory. Runs on: prof-analyze, main
 * thread. Must not trust what the archive says of sizes and numbers.
 */
#include "analyzer/archive/pack.h"
#include "analyzer/archive/private.h"

#include "analyzer/rundb/rundb.h"
#include "common/base/xalloc.h"
#include "common/base/text.h"
#include "common/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "archive_own.sql.h"

struct taking {
	struct rundb *archive, *to;
	struct strbuf *error;
	struct rows reference; /* the latest one that was read */
	int64_t reference_id;
	int64_t *runs; /* in the order in which they are taken */
	size_t count;
};

static int damaged(const char *path, int64_t run_id, struct strbuf *error)
{
	strbuf_printf(error, "%s: run %lld is damaged", path, (long long)run_id);
	return -EINVAL;
}

int archive_unpack(sqlite3 *db, int64_t run_id, struct rows *ret,
		   const struct rows *reference, struct strbuf *error)
{
	const char *path = sqlite3_db_filename(db, "main");
	sqlite3_stmt *statement;
	int code = sqlite3_prepare_v2(db, archive_own_sql_packed, -1, &statement, NULL);
	int result = 0;

	path = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : "archive";
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(statement, 1, run_id);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code != SQLITE_ROW || sqlite3_column_type(statement, 1) != SQLITE_BLOB)
		result = damaged(path, run_id, error);
	if (result == 0 && sqlite3_column_int64(statement, 2) != RUNDB_SCHEMA_VERSION) {
		strbuf_printf(error,
			      "%s: run %lld was recorded by another version of profshim "
			      "(schema %lld, this prof-analyze reads %d): 'history' has "
			      "its numbers, other commands cannot show it",
			      path, (long long)run_id,
			      (long long)sqlite3_column_int64(statement, 2),
			      RUNDB_SCHEMA_VERSION);
		result = -EINVAL;
	}
	if (result == 0 &&
	    (sqlite3_column_type(statement, 0) != SQLITE_NULL) != !!reference)
		result = damaged(path, run_id, error);
	if (result == 0 && !pack_read(ret, reference, sqlite3_column_blob(statement, 1),
				      (size_t)sqlite3_column_bytes(statement, 1)))
		result = damaged(path, run_id, error);
	sqlite3_finalize(statement);
	return result;
}

/* The number of the run that a run is a difference from; 0: none. */
static int64_t reference_of(struct taking *taking, int64_t run_id)
{
	struct cursor *cursor =
		rundb_query(taking->archive, archive_own_sql_reference_of);
	int64_t number = 0;

	cursor_bind_integer(cursor, ":run", run_id);
	if (cursor_next(cursor) > 0)
		number = cursor_integer(cursor, "reference_id");
	cursor_close(cursor);
	return number;
}

static int take_one(struct taking *taking, int64_t run_id)
{
	sqlite3 *from = rundb_handle(taking->archive), *to = rundb_handle(taking->to);
	int64_t number = reference_of(taking, run_id);
	struct rows rows = {0};
	int result = 0, code = SQLITE_OK;

	if (number && number != taking->reference_id) {
		rows_free(&taking->reference);
		taking->reference_id = 0;
		code = rows_describe(&taking->reference, to);
		result = archive_unpack(from, number, &taking->reference, NULL,
					taking->error);
		taking->reference_id = result == 0 ? number : 0;
	}
	if (result == 0 && code == SQLITE_OK)
		code = rows_describe(&rows, to);
	if (result == 0 && code == SQLITE_OK)
		result =
			archive_unpack(from, run_id, &rows,
				       number ? &taking->reference : NULL, taking->error);
	if (result == 0 && code == SQLITE_OK)
		code = rows_write(&rows, to, run_id);
	rows_free(&rows);
	/* numbers that no run has, or twice: only a stranger writes such */
	return code == SQLITE_OK
		       ? result
		       : damaged(rundb_path(taking->archive), run_id, taking->error);
}

static void want(struct taking *taking, int64_t run_id)
{
	for (size_t i = 0; i < taking->count; i++)
		if (taking->runs[i] == run_id)
			return;
	ARRAY_ADD(taking->runs, taking->count) = run_id;
}

/* The runs that a word means; NULL: any, so the latest. */
static int want_word(struct taking *taking, const char *word, bool takes_all)
{
	struct cursor *cursor = rundb_query(taking->archive, archive_own_sql_wanted);
	bool found = false;
	int result;

	cursor_bind_text(cursor, ":word", word);
	while ((result = cursor_next(cursor)) > 0) {
		want(taking, cursor_integer(cursor, "run_id"));
		found = true;
		if (!takes_all)
			break;
	}
	cursor_close(cursor);
	if (result < 0) {
		strbuf_puts(taking->error, rundb_error(taking->archive));
		return result;
	}
	if (found)
		return 0;
	strbuf_printf(taking->error, "%s: ", rundb_path(taking->archive));
	if (word) {
		strbuf_puts(taking->error, "has no run '");
		utf8_clean(taking->error, word);
		strbuf_puts(taking->error, "'; 'prof-analyze archive list' shows them");
	} else {
		strbuf_puts(taking->error, "holds no run");
	}
	return -ENOENT;
}

static int want_words(struct taking *taking, const char *words, bool takes_all)
{
	char *copy = words ? xstrdup(words) : NULL, *rest = copy, *word;
	int result = words ? 0 : want_word(taking, NULL, false);

	while (result == 0 && (word = strsep(&rest, ",")))
		result = want_word(taking, word, takes_all);
	free(copy);
	return result;
}

static void want_together(struct taking *taking)
{
	size_t count = taking->count;

	for (size_t i = 0; i < count; i++) {
		struct cursor *cursor =
			rundb_query(taking->archive, archive_own_sql_together);

		cursor_bind_integer(cursor, ":run", taking->runs[i]);
		while (cursor_next(cursor) > 0)
			want(taking, cursor_integer(cursor, "run_id"));
		cursor_close(cursor);
	}
}

int archive_take(const char *path, const char *wanted, bool takes_all,
		 struct rundb **ret_db, struct strbuf *error)
{
	struct taking taking = {.error = error};
	int result = rundb_open_archive(path, &taking.archive, error);

	if (result < 0)
		return result;
	result = want_words(&taking, wanted, takes_all);
	if (result == 0)
		want_together(&taking);
	if (result == 0)
		result = rundb_open_memory(path, &taking.to, error);
	for (size_t i = 0; i < taking.count && result == 0; i++)
		result = take_one(&taking, taking.runs[i]);
	rows_free(&taking.reference);
	free(taking.runs);
	rundb_close(taking.archive);
	if (result == 0)
		*ret_db = taking.to;
	else
		rundb_close(taking.to);
	return result;
}
