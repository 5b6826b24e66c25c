/* SPDX-License-Identifier: MIT */
/*
 * The schema of run.db, and connections to a file that may have been made to harm who
 * opens it. Must not run anything that stands in the file.
 */
#pragma once

#include <stddef.h>

struct sqlite3;

/* The tables and views, in a database without any. Returns SQLite's code. */
int guard_create_schema(struct sqlite3 *db);

/* A database in memory with the schema. Returns SQLite's code. *ret has to be closed with
 * sqlite3_close() even then. */
int guard_open_memory(struct sqlite3 **ret);

enum guard_use { GUARD_READ, GUARD_WRITE };

/* Before the first statement: no triggers, no functions with effects in views, and no
 * views at all for who writes. */
void guard_connection(struct sqlite3 *db, enum guard_use use);

/*
 * Is what stands in the file's schema what this version makes? For reading, tables,
 * indexes and views of other names are let be; for writing there must be none that could
 * act on our tables. *ret_valid: 1 or 0, with words that follow the file's name in
 * reason. Comments and blanks do not count. Returns SQLite's code.
 */
int guard_schema(struct sqlite3 *db, enum guard_use use, int *ret_valid, char *reason,
		 size_t size);

/* Of a result code. What the connection says is of its last call, which may have failed
 * for another reason, or not at all. Borrowed until the next call. */
const char *guard_message(struct sqlite3 *db, int code);
