/* SPDX-License-Identifier: MIT */
/*
 * Takes runs out of an archive into a run.db in memory. Runs on: prof-analyze, main
 * thread. Must not trust what the archive says of sizes and numbers.
 */
#include "analyzer/archive/pack.h"
#include "analyzer/archive/private.h"

#include "analyzer/rundb/rundb.h"
#include "common/base/command.h"
#include "common/schema.h"

#include <stdlib.h>
#include <string.h>

#include "archive_own.sql.h"

struct taking {
	struct rundb *archive, *to;
	struct archive_reference reference;
	int64_t *runs; /* in the order in which they are taken */
	size_t count;
};

static _Noreturn void fail_damaged(const char *path, int64_t run_id)
{
	command_fail(STATUS_FAILED, "%s: run %lld is damaged", path, (long long)run_id);
}

void archive_read_reference(sqlite3 *db, int64_t run_id, sqlite3 *like,
			    struct archive_reference *ret)
{
	if (ret->rows.tables && ret->run_id == run_id)
		return;
	rows_free(&ret->rows);
	archive_unpack(db, run_id, like, NULL, &ret->rows);
	ret->run_id = run_id;
}

void archive_unpack(sqlite3 *db, int64_t run_id, sqlite3 *like,
		    struct archive_reference *reference, struct rows *ret)
{
	const char *path = sqlite3_db_filename(db, "main");
	sqlite3_stmt *row;
	bool is_difference;
	int64_t schema;

	path = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : "archive";
	if (sqlite3_prepare_v2(db, archive_own_sql_packed, -1, &row, NULL) != SQLITE_OK ||
	    sqlite3_bind_int64(row, 1, run_id) != SQLITE_OK ||
	    sqlite3_step(row) != SQLITE_ROW)
		fail_damaged(path, run_id);
	is_difference = sqlite3_column_type(row, 0) != SQLITE_NULL;
	schema = sqlite3_column_int64(row, 2);
	if (schema != RUNDB_SCHEMA_VERSION)
		command_fail(STATUS_FAILED,
			     "%s: run %lld was recorded by another version of profshim "
			     "(schema %lld, this prof-analyze reads %d): 'history' has "
			     "its numbers, other commands cannot show it",
			     path, (long long)run_id, (long long)schema,
			     RUNDB_SCHEMA_VERSION);
	/* a reference is no difference itself */
	if (sqlite3_column_type(row, 1) != SQLITE_BLOB || (is_difference && !reference))
		fail_damaged(path, run_id);
	if (is_difference)
		archive_read_reference(db, sqlite3_column_int64(row, 0), like, reference);
	if (rows_describe(ret, like) != SQLITE_OK ||
	    !pack_read(ret, is_difference ? &reference->rows : NULL,
		       sqlite3_column_blob(row, 1), (size_t)sqlite3_column_bytes(row, 1)))
		fail_damaged(path, run_id);
	sqlite3_finalize(row);
}

static void take_one(struct taking *taking, int64_t run_id)
{
	sqlite3 *from = rundb_handle(taking->archive), *to = rundb_handle(taking->to);
	struct rows rows = {0};

	archive_unpack(from, run_id, to, &taking->reference, &rows);
	/* numbers that no run has, or twice: only a stranger writes such */
	if (rows_write(&rows, to, run_id) != SQLITE_OK)
		fail_damaged(rundb_path(taking->archive), run_id);
	rows_free(&rows);
}

static void want(struct taking *taking, int64_t run_id)
{
	for (size_t i = 0; i < taking->count; i++)
		if (taking->runs[i] == run_id)
			return;
	ARRAY_ADD(taking->runs, taking->count) = run_id;
}

/* The runs that a word means; NULL: any, so the latest. */
static void want_word(struct taking *taking, const char *word, bool takes_all)
{
	struct cursor *cursor = rundb_query(taking->archive, archive_own_sql_wanted);
	const char *path = rundb_path(taking->archive);
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
	if (result < 0)
		command_fail(STATUS_FAILED, "%s", rundb_error(taking->archive));
	if (!found && word)
		command_fail(
			STATUS_FAILED,
			"%s: has no run '%s'; 'prof-analyze archive list' shows them",
			path, word);
	if (!found)
		command_fail(STATUS_FAILED, "%s: holds no run", path);
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

struct rundb *archive_take(const char *path, const char *wanted, bool takes_all)
{
	char *rest = wanted ? xstrdup(wanted) : NULL, *word;
	struct taking taking = {0};
	struct strbuf error = {0};

	if (rundb_open_archive(path, &taking.archive, &error) < 0)
		command_fail(STATUS_FAILED, "%s", strbuf_text(&error));
	if (!wanted)
		want_word(&taking, NULL, false);
	while ((word = strsep(&rest, ",")))
		want_word(&taking, word, takes_all);
	want_together(&taking);
	if (rundb_open_memory(path, &taking.to, &error) < 0)
		command_fail(STATUS_FAILED, "%s", strbuf_text(&error));
	for (size_t i = 0; i < taking.count; i++)
		take_one(&taking, taking.runs[i]);
	rows_free(&taking.reference.rows);
	rundb_close(taking.archive);
	return taking.to;
}
