/* SPDX-License-Identifier: MIT */
/* SQL functions about durations and courses of values: functions.h has them. */
#pragma once

#include <sqlite3.h>
#include <stddef.h>

/* An SQL function; data: its sqlite3_user_data(). */
struct sql_function {
	const char *name;
	int count; /* number of arguments */
	const void *data;
	void (*call)(sqlite3_context *context, int count, sqlite3_value **arguments);
	void (*step)(sqlite3_context *context, int count, sqlite3_value **arguments);
	void (*final)(sqlite3_context *context);
	void (*value)(sqlite3_context *context); /* set for window functions */
};
/* Listed in functions.h; the last one has no name. */
extern const struct sql_function course_functions[], growth_functions[];

/* Makes room for one more value of an aggregate in SQLite's limited memory. NULL: out of
 * memory, and the context has the error. */
void *courses_room(sqlite3_context *context, void *array, size_t count, size_t size);
