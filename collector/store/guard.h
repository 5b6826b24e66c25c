/* SPDX-License-Identifier: MIT */
/*
 * The schema of run.db, and safe connections to a file that may have been made to attack
 * whoever opens it. Must not run anything that the file contains.
 */
#pragma once

#include <stddef.h>

struct sqlite3;

/* Creates the tables and views in an empty database. Returns SQLite's code. */
int guard_create_schema(struct sqlite3 *db);

/* Opens a database in memory with the schema. Returns SQLite's code. Close *ret with
 * sqlite3_close() even after an error. */
int guard_open_memory(struct sqlite3 **ret);

enum guard_use { GUARD_READ, GUARD_WRITE };

/* Call it before the first statement. Forbids triggers, functions with effects in views
 * and, for writing, all views. */
void guard_connection(struct sqlite3 *db, enum guard_use use);

/*
 * Checks that the file's schema is what this version creates. For reading, tables,
 * indexes and views of other names are allowed; for writing, nothing that could act on
 * our tables. Comments and blanks do not count. *ret_valid: 1 or 0; then reason continues
 * a sentence that begins with the file's name. Returns SQLite's code.
 */
int guard_schema(struct sqlite3 *db, enum guard_use use, int *ret_valid, char *reason,
		 size_t size);

/* The same for another kind of file, whose schema is these objects (as
 * scripts/embed_schema.py lists them: in the order of their names). */
struct guard_object {
	const char *type, *name, *table, *text;
};
int guard_objects(struct sqlite3 *db, enum guard_use use, const struct guard_object *own,
		  size_t count, int *ret_valid, char *reason, size_t size);

/* The message for a result code. sqlite3_errmsg() is about the connection's last call,
 * which may have failed for another reason or succeeded. Borrowed until the next call. */
const char *guard_message(struct sqlite3 *db, int code);
