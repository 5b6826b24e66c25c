/* SPDX-License-Identifier: MIT */
/*
 * Choosing a run by number, label or age. Must not guess: an unknown run is an error
 * that names the known ones.
 */
#include "analyzer/rundb/select.h"

#include "common/base/options.h"
#include "common/base/text.h"

#include "select.sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_RUNS 6

static bool first_id(struct rundb *db, const char *sql, const char *text, int64_t number,
		     int64_t *ret_run_id)
{
	auto_cursor struct cursor *cursor = rundb_query(db, sql);

	if (text)
		cursor_bind_text(cursor, ":wanted", text);
	else
		cursor_bind_integer(cursor, ":wanted", number);
	if (!cursor_next(cursor))
		return false;
	*ret_run_id = cursor_integer(cursor, "run_id");
	return true;
}

static bool find(struct rundb *db, const char *wanted, int64_t *ret_run_id)
{
	char *end;
	long long number;

	if (!wanted)
		return first_id(db, select_sql_latest, NULL, 0, ret_run_id);
	errno = 0;
	number = strtoll(wanted, &end, 10);
	if (*wanted && !*end && errno == 0 &&
	    first_id(db, select_sql_by_id, NULL, number, ret_run_id))
		return true;
	return first_id(db, select_sql_by_label, wanted, 0, ret_run_id);
}

static void list_choices(struct rundb *db, const char *wanted, struct strbuf *error)
{
	ended_by(strbuf_free) struct strbuf nearest = {0}, list = {0};
	auto_cursor struct cursor *cursor = rundb_query(db, select_sql_choices);
	unsigned best = 3;
	size_t count = 0;

	while (cursor_next(cursor)) {
		const char *label = cursor_text(cursor, "label");

		if (label && nearest_distance(wanted, label) < best) {
			best = nearest_distance(wanted, label);
			strbuf_reset(&nearest);
			utf8_clean(&nearest, label);
		}
		if (count++ >= LISTED_RUNS)
			continue;
		strbuf_printf(&list, "%s%lld", count > 1 ? ", " : "",
			      (long long)cursor_integer(cursor, "run_id"));
		if (label && *label) {
			strbuf_puts(&list, " '");
			utf8_clean(&list, label);
			strbuf_puts(&list, "'");
		}
	}
	if (nearest.size)
		strbuf_printf(error, "; did you mean '%s'? It", strbuf_text(&nearest));
	else if (count)
		strbuf_puts(error, "; it");
	if (count)
		strbuf_printf(error, " has %s%s", count == 1 ? "run " : "runs ",
			      strbuf_text(&list));
	if (count > LISTED_RUNS)
		strbuf_printf(error, " and %zu more (prof-analyze runs)",
			      count - LISTED_RUNS);
}

int select_run(struct rundb *db, const char *wanted, int64_t *ret_run_id,
	       struct strbuf *error)
{
	int64_t any;

	if (find(db, wanted, ret_run_id))
		return 0;
	if (!wanted || !first_id(db, select_sql_latest, NULL, 0, &any)) {
		strbuf_printf(error, "%s: holds no run", rundb_path(db));
		return -ENOENT;
	}
	strbuf_printf(error, "%s: has no run '", rundb_path(db));
	utf8_clean(error, wanted);
	strbuf_putc(error, '\'');
	list_choices(db, wanted, error);
	return -ENOENT;
}
