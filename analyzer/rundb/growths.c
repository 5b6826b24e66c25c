/* SPDX-License-Identifier: MIT */
/*
 * SQL functions on how quantities grow from run to run. Runs on: prof-analyze, inside
 * SQLite's evaluation. Must not keep state between queries, or believe a fit that did not
 * come from scaling().
 */
#include "analyzer/rundb/courses.h"

#include "analyzer/statistics/scaling.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

struct points {
	struct scaling_point *list;
	size_t count;
};

static void add_point(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct points *points = sqlite3_aggregate_context(context, sizeof(*points));
	void *room;

	(void)count;
	if (!points || sqlite3_value_type(arguments[1]) == SQLITE_NULL)
		return;
	room = courses_room(context, points->list, points->count, sizeof(*points->list));
	if (!room)
		return;
	points->list = room;
	points->list[points->count++] = (struct scaling_point){
		sqlite3_value_double(arguments[0]), sqlite3_value_double(arguments[1]),
		sqlite3_value_double(arguments[2]),
		sqlite3_value_type(arguments[2]) == SQLITE_NULL};
}

static void fit(sqlite3_context *context)
{
	struct points *points = sqlite3_aggregate_context(context, 0);
	struct scaling scaling;

	if (points && scaling_fit(points->list, points->count, &scaling) == 0)
		sqlite3_result_blob(context, &scaling, sizeof(scaling), SQLITE_TRANSIENT);
	if (points)
		sqlite3_free(points->list);
}

static void share(sqlite3_context *context)
{
	struct points *points = sqlite3_aggregate_context(context, 0);
	struct scaling_share found;
	char text[96];

	if (points && scaling_serial_share(points->list, points->count, &found) == 0) {
		snprintf(text, sizeof(text), "[%.6f,%.6f,%.6f]", found.share, found.low,
			 found.high);
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
	}
	if (points)
		sqlite3_free(points->list);
}

/* The fit of the first argument; false: it is none. */
static bool read_fit(sqlite3_value **arguments, struct scaling *ret)
{
	const void *bytes = sqlite3_value_blob(arguments[0]);

	if (!bytes || sqlite3_value_bytes(arguments[0]) != (int)sizeof(*ret))
		return false;
	memcpy(ret, bytes, sizeof(*ret));
	return true;
}

static void put_number(sqlite3_context *context, double value)
{
	if (isfinite(value))
		sqlite3_result_double(context, value);
}

static void tell(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	const char *what = (const char *)sqlite3_value_text(arguments[1]);
	struct scaling scaling;
	char text[32];

	(void)count;
	if (!what || !read_fit(arguments, &scaling))
		return;
	if (strcmp(what, "law") == 0) {
		scaling_law_text(&scaling, text, sizeof(text));
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
	} else if (strcmp(what, "exponent") == 0) {
		put_number(context, scaling.exponent);
	} else if (strcmp(what, "low") == 0) {
		put_number(context, scaling.low);
	} else if (strcmp(what, "high") == 0) {
		put_number(context, scaling.high);
	} else if (strcmp(what, "exact") == 0) {
		sqlite3_result_int(context, scaling.is_exact);
	} else if (strcmp(what, "sizes") == 0) {
		sqlite3_result_int64(context, scaling.size_count);
	} else {
		sqlite3_result_error(context,
				     "scaling_is() knows law, exponent, low, "
				     "high, exact and sizes",
				     -1);
	}
}

static void at(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	const char *what =
		count > 2 ? (const char *)sqlite3_value_text(arguments[2]) : NULL;
	struct scaling scaling;
	double value, low, high;

	if (!read_fit(arguments, &scaling))
		return;
	value = scaling_at(&scaling, sqlite3_value_double(arguments[1]), &low, &high);
	put_number(context, !what ? value : strcmp(what, "low") == 0 ? low : high);
}

static void check(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	static const char *const words[] = {
		[SCALING_KEPT] = "kept",
		[SCALING_OPEN] = "inconclusive",
		[SCALING_EXCEEDED] = "exceeded",
		[SCALING_NOT_MEASURED] = "not measured",
	};
	const char *limit = (const char *)sqlite3_value_text(arguments[1]);
	struct scaling scaling;
	enum scaling_law law;
	double number;

	(void)count;
	if (limit && read_fit(arguments, &scaling) &&
	    scaling_law_read(limit, &law, &number))
		sqlite3_result_text(context, words[scaling_check(&scaling, law, number)],
				    -1, SQLITE_STATIC);
}

const struct sql_function growth_functions[] = {
	{"scaling", 3, .step = add_point, .final = fit},
	{"serial_share", 3, .step = add_point, .final = share},
	{"scaling_is", 2, .call = tell},
	{"scaling_at", 2, .call = at},
	{"scaling_at", 3, .call = at},
	{"scaling_held", 2, .call = check},
	{NULL},
};
