/* SPDX-License-Identifier: MIT */
/* SQL functions about durations and courses of values: functions.h has them. */
#pragma once

#include <sqlite3.h>
#include <stddef.h>

/* A function of SQL; data: what sqlite3_user_data() gives it. */
struct sql_function {
	const char *name;
	int count; /* of arguments */
	const void *data;
	void (*call)(sqlite3_context *context, int count, sqlite3_value **arguments);
	void (*step)(sqlite3_context *context, int count, sqlite3_value **arguments);
	void (*final)(sqlite3_context *context);
	void (*value)(sqlite3_context *context); /* of windows */
};
/* See functions.h; the last has no name. */
extern const struct sql_function course_functions[];

/* Room for one more of an aggregate's values, by SQLite's memory, which has a limit;
 * NULL: there is none, and the context says so. */
void *courses_room(sqlite3_context *context, void *array, size_t count, size_t size);
