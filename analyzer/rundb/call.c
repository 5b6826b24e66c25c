/* SPDX-License-Identifier: MIT */
/* C functions for SQL, on one connection and for a limited time. */
#include "analyzer/rundb/private.h"
#include "analyzer/rundb/rundb.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

struct called {
	struct cell (*call)(void *context, const struct cell *values);
	void *context;
};

static struct cell cell_of(sqlite3_value *value)
{
	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER:
		return cell_integer(sqlite3_value_int64(value));
	case SQLITE_FLOAT:
		return cell_real(sqlite3_value_double(value));
	case SQLITE_TEXT:
		return (struct cell){.kind = CELL_TEXT,
				     .text = (const char *)sqlite3_value_text(value)};
	default:
		return (struct cell){.kind = CELL_NULL};
	}
}

void rundb_put_cell(sqlite3_context *context, struct cell cell)
{
	if (cell.kind == CELL_INTEGER)
		sqlite3_result_int64(context, cell.integer);
	else if (cell.kind == CELL_REAL)
		sqlite3_result_double(context, cell.real);
	else if (cell.kind == CELL_TEXT)
		sqlite3_result_text(context, cell.text, -1, SQLITE_TRANSIENT);
}

static void call(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	const struct called *called = sqlite3_user_data(context);
	struct cell values[RUNDB_VALUES] = {0};

	for (int i = 0; i < count && i < RUNDB_VALUES; i++)
		values[i] = cell_of(arguments[i]);
	rundb_put_cell(context, called->call(called->context, values));
}

int rundb_function(struct rundb *db, const char *name, int count,
		   struct cell (*called)(void *context, const struct cell *values),
		   void *context)
{
	struct called *own = NULL;
	int result;

	if (called) {
		own = xmalloc(sizeof(*own));
		*own = (struct called){called, context};
	}
	result = sqlite3_create_function_v2(db->handle, name, count, SQLITE_UTF8, own,
					    called ? call : NULL, NULL, NULL,
					    called ? free : NULL);
	if (result != SQLITE_OK)
		rundb_end(db, result);
	return 0;
}
