/* SPDX-License-Identifier: MIT */
/*
 * Makes our schema, compares a file's with it, and limits what a planted run.db can do.
 * Must not use a view or a trigger of the file.
 */
#include "collector/store/guard.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"
#include "common/schema.h"

#include "schema.sql.h"
#include "store.sql.h"

/* Our schema has about sixty objects; reading a file's list must not take forever. */
#define OBJECT_LIMIT 2000

enum { TYPE, NAME, TABLE, TEXT }; /* columns of sql_objects */

/* What SQLite stores for our schema, by name. Generated at build time: computing it at
 * run time took three fifths of the CPU time of a short report. */
static const struct guard_object run_objects[] = {
#include "schema_objects.sql.h"
};

int guard_create_schema(struct sqlite3 *db)
{
	char identity[128];
	int code;

	snprintf(identity, sizeof(identity),
		 "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 RUNDB_APPLICATION_ID, RUNDB_SCHEMA_VERSION);
	code = sqlite3_exec(db, identity, NULL, NULL, NULL);
	return code == SQLITE_OK ? sqlite3_exec(db, schema_sql, NULL, NULL, NULL) : code;
}

int guard_open_memory(struct sqlite3 **ret)
{
	int code = sqlite3_open(":memory:", ret);

	return code == SQLITE_OK ? guard_create_schema(*ret) : code;
}

void guard_connection(struct sqlite3 *db, enum guard_use use)
{
	sqlite3_extended_result_codes(db, 1);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
	if (use == GUARD_WRITE)
		sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 64 << 20);
	sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
}

const char *guard_message(struct sqlite3 *db, int code)
{
	return db && (sqlite3_errcode(db) & 0xff) == (code & 0xff) ? sqlite3_errmsg(db)
								   : sqlite3_errstr(code);
}

/* The end of the quoted text or name that begins at text. */
static const char *end_of_quote(const char *text)
{
	char quote = *text == '[' ? ']' : *text;

	for (text++; *text && *text != quote; text++)
		;
	return *text ? text + 1 : text;
}

/* Removes comments from SQL in place and makes each stretch of white space one blank. */
static void plain_sql(char *sql)
{
	char *to = sql, *from = sql;

	while (*from) {
		if (from[0] == '-' && from[1] == '-') {
			from += strcspn(from, "\n");
		} else if (strchr(" \t\r\n", *from)) {
			from += strspn(from, " \t\r\n");
			if (to > sql && to[-1] != ' ')
				*to++ = ' ';
		} else if (strchr("'\"`[", *from)) {
			size_t length = (size_t)(end_of_quote(from) - from);

			memmove(to, from, length);
			to += length;
			from += length;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
}

static const char *text_of(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

static int is_same_sql(const char *one, const char *other)
{
	auto_free char *a = NULL, *b = NULL;
	int is_same = strcmp(one, other) == 0;

	if (is_same)
		return 1;
	a = xstrdup(one);
	b = xstrdup(other);
	plain_sql(a);
	plain_sql(b);
	return strcmp(a, b) == 0;
}

static int compare_name(const void *name, const void *object)
{
	return strcmp(name, ((const struct guard_object *)object)->name);
}

/* May an object that is not ours stay in the file? */
static int is_harmless(sqlite3_stmt *object, enum guard_use use)
{
	const char *type = text_of(object, TYPE);

	if (strncmp(text_of(object, NAME), "sqlite_stat", 11) == 0)
		return 1; /* made by ANALYZE */
	if (use == GUARD_READ)
		return 1;
	return strcmp(type, "table") == 0 || strcmp(type, "view") == 0 ||
	       strncmp(text_of(object, NAME), "sqlite_autoindex_", 17) == 0;
}

/* ours: the object of that name in our schema, or NULL. */
static int is_sound(sqlite3_stmt *object, const struct guard_object *ours,
		    enum guard_use use, size_t *ret_found, char *reason, size_t size)
{
	if (!ours) {
		if (is_harmless(object, use))
			return 1;
		snprintf(reason, size,
			 "has the %.20s '%.60s', which profshim did not make",
			 text_of(object, TYPE), text_of(object, NAME));
		return 0;
	}
	if (strcmp(text_of(object, TYPE), ours->type) != 0 ||
	    strcmp(text_of(object, TABLE), ours->table) != 0 ||
	    !is_same_sql(text_of(object, TEXT), ours->text)) {
		snprintf(reason, size,
			 "has a changed %.20s '%.60s', not the one that profshim makes",
			 text_of(object, TYPE), text_of(object, NAME));
		return 0;
	}
	++*ret_found;
	return 1;
}

int guard_objects(struct sqlite3 *db, enum guard_use use, const struct guard_object *own,
		  size_t own_count, int *ret_valid, char *reason, size_t size)
{
	sqlite3_stmt *object = NULL;
	size_t found = 0, count = 0;
	int code = sqlite3_prepare_v2(db, store_sql_objects, -1, &object, NULL);

	*ret_valid = 1;
	while (code == SQLITE_OK && *ret_valid &&
	       (code = sqlite3_step(object)) == SQLITE_ROW) {
		code = SQLITE_OK;
		*ret_valid = is_sound(object,
				      bsearch(text_of(object, NAME), own, own_count,
					      sizeof(own[0]), compare_name),
				      use, &found, reason, size);
		if (*ret_valid && ++count > OBJECT_LIMIT) {
			snprintf(reason, size, "has more than %d tables and views",
				 OBJECT_LIMIT);
			*ret_valid = 0;
		}
	}
	sqlite3_finalize(object);
	if (code == SQLITE_DONE)
		code = SQLITE_OK;
	if (code == SQLITE_OK && *ret_valid && found != own_count) {
		snprintf(reason, size, "lacks tables or views that profshim makes");
		*ret_valid = 0;
	}
	return code;
}

int guard_schema(struct sqlite3 *db, enum guard_use use, int *ret_valid, char *reason,
		 size_t size)
{
	return guard_objects(db, use, run_objects,
			     sizeof(run_objects) / sizeof(run_objects[0]), ret_valid,
			     reason, size);
}
