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
	struct archive_reference reference;
	int64_t *runs; /* in the order in which they are taken */
	size_t count;
};

static int damaged(const char *path, int64_t run_id, struct strbuf *error)
{
	strbuf_printf(error, "%s: run %lld is damaged", path, (long long)run_id);
	return -EINVAL;
}

void archive_forget_reference(struct archive_reference *reference)
{
	rows_free(&reference->rows);
	reference->run_id = 0;
}

int archive_read_reference(sqlite3 *db, int64_t run_id, sqlite3 *like,
			   struct archive_reference *ret, struct strbuf *error)
{
	int result;

	if (ret->rows.tables && ret->run_id == run_id)
		return 0;
	archive_forget_reference(ret);
	result = archive_unpack(db, run_id, like, NULL, &ret->rows, error);
	ret->run_id = result == 0 ? run_id : 0;
	return result;
}

/* The row of the packed run is at hand. */
static int unpack(sqlite3_stmt *row, int64_t run_id, sqlite3 *like,
		  struct archive_reference *reference, struct rows *ret, const char *path,
		  struct strbuf *error)
{
	bool is_difference = sqlite3_column_type(row, 0) != SQLITE_NULL;
	int64_t schema = sqlite3_column_int64(row, 2);
	int result = 0;

	if (schema != RUNDB_SCHEMA_VERSION) {
		strbuf_printf(error,
			      "%s: run %lld was recorded by another version of profshim "
			      "(schema %lld, this prof-analyze reads %d): 'history' has "
			      "its numbers, other commands cannot show it",
			      path, (long long)run_id, (long long)schema,
			      RUNDB_SCHEMA_VERSION);
		return -EINVAL;
	}
	/* a reference is no difference itself */
	if (sqlite3_column_type(row, 1) != SQLITE_BLOB || (is_difference && !reference))
		return damaged(path, run_id, error);
	if (is_difference)
		result = archive_read_reference(sqlite3_db_handle(row),
						sqlite3_column_int64(row, 0), like,
						reference, error);
	if (result < 0)
		return result;
	if (rows_describe(ret, like) != SQLITE_OK ||
	    !pack_read(ret, is_difference ? &reference->rows : NULL,
		       sqlite3_column_blob(row, 1), (size_t)sqlite3_column_bytes(row, 1)))
		return damaged(path, run_id, error);
	return 0;
}

int archive_unpack(sqlite3 *db, int64_t run_id, sqlite3 *like,
		   struct archive_reference *reference, struct rows *ret,
		   struct strbuf *error)
{
	const char *path = sqlite3_db_filename(db, "main");
	sqlite3_stmt *row;
	int code = sqlite3_prepare_v2(db, archive_own_sql_packed, -1, &row, NULL);
	int result;

	path = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : "archive";
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(row, 1, run_id);
	if (code == SQLITE_OK)
		code = sqlite3_step(row);
	result = code == SQLITE_ROW
			 ? unpack(row, run_id, like, reference, ret, path, error)
			 : damaged(path, run_id, error);
	sqlite3_finalize(row);
	return result;
}

static int take_one(struct taking *taking, int64_t run_id)
{
	sqlite3 *from = rundb_handle(taking->archive), *to = rundb_handle(taking->to);
	struct rows rows = {0};
	int result = archive_unpack(from, run_id, to, &taking->reference, &rows,
				    taking->error);

	/* numbers that no run has, or twice: only a stranger writes such */
	if (result == 0 && rows_write(&rows, to, run_id) != SQLITE_OK)
		result = damaged(rundb_path(taking->archive), run_id, taking->error);
	rows_free(&rows);
	return result;
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
	archive_forget_reference(&taking.reference);
	free(taking.runs);
	rundb_close(taking.archive);
	if (result == 0)
		*ret_db = taking.to;
	else
		rundb_close(taking.to);
	return result;
}
