/* SPDX-License-Identifier: MIT */
/*
 * Histograms of durations, and courses of values, in SQL. Runs on: prof-analyze, inside
 * SQLite's evaluation. Must not keep state between queries, or judge: limits are the
 * query's.
 */
#include "analyzer/rundb/courses.h"

#include "analyzer/statistics/histogram.h"
#include "analyzer/statistics/leak_class.h"
#include "analyzer/statistics/statistics.h"

#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first argument, which several functions ask for the same row. False: it is none. */
static bool read_histogram(sqlite3_value **arguments, struct histogram *ret)
{
	const void *bytes = sqlite3_value_blob(arguments[0]);

	return bytes && histogram_decode(bytes, (size_t)sqlite3_value_bytes(arguments[0]),
					 ret) == 0;
}

static void sum(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct histogram histogram;

	(void)count;
	if (read_histogram(arguments, &histogram))
		sqlite3_result_double(context, histogram.ticks);
}

/* user data: what answers for the histogram and the second argument. */
static void answer(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	double (*const *ask)(const struct histogram *, double) =
		sqlite3_user_data(context);
	struct histogram histogram;

	(void)count;
	if (read_histogram(arguments, &histogram))
		sqlite3_result_double(
			context, (*ask)(&histogram, sqlite3_value_double(arguments[1])));
}

static void beyond(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct histogram histogram;

	(void)count;
	if (read_histogram(arguments, &histogram))
		sqlite3_result_double(
			context,
			histogram_beyond(&histogram, sqlite3_value_double(arguments[1]),
					 sqlite3_value_double(arguments[2])));
}

static void mode(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	const char *asked = (const char *)sqlite3_value_text(arguments[3]);
	struct histogram_modes modes;
	struct histogram histogram;
	const struct {
		const char *name;
		const double *value;
	} answers[] = {
		{"fast_ticks", &modes.fast_ticks},   {"slow_ticks", &modes.slow_ticks},
		{"fast_median", &modes.fast_median}, {"slow_median", &modes.slow_median},
		{"slow_calls", &modes.slow_calls},   {"slow_share", &modes.slow_share},
	};

	(void)count;
	if (!asked || !read_histogram(arguments, &histogram) ||
	    !histogram_find_modes(&histogram, sqlite3_value_double(arguments[1]),
				  sqlite3_value_double(arguments[2]), &modes))
		return;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (strcmp(answers[i].name, asked) == 0)
			sqlite3_result_double(context, *answers[i].value);
}

static void doublings(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	(void)count;
	sqlite3_result_double(context, log(sqlite3_value_double(arguments[0])) / log(2));
}

struct point {
	double x, y;
	size_t number;
};

struct course {
	struct point *points;
	size_t count, capacity;
	double freed; /* after the last */
};

static void course_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct course *course = sqlite3_aggregate_context(context, sizeof(*course));

	if (course && course->count == course->capacity) {
		size_t capacity = course->capacity ? 2 * course->capacity : 64;
		struct point *points =
			sqlite3_realloc64(course->points, capacity * sizeof(*points));

		if (points) {
			course->points = points;
			course->capacity = capacity;
		}
	}
	if (!course || course->count == course->capacity) {
		sqlite3_result_error_nomem(context);
		return;
	}
	course->points[course->count] =
		(struct point){sqlite3_value_double(arguments[0]),
			       sqlite3_value_double(arguments[1]), course->count};
	course->count++;
	course->freed = count > 2 ? sqlite3_value_double(arguments[2]) : 0;
}

static int by_x(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->x != b->x)
		return (a->x > b->x) - (a->x < b->x);
	return (a->number > b->number) - (a->number < b->number);
}

static void rises(sqlite3_context *context, const double *x, const double *y,
		  const struct course *course)
{
	double slope, p;

	if (statistics_trend(x, y, course->count, &slope, &p) == 0 && slope > 0)
		sqlite3_result_double(context, p);
}

static void grows(sqlite3_context *context, const double *x, const double *y,
		  const struct course *course)
{
	struct leak_verdict verdict;
	char told[128];

	if (leak_classify(x, y, course->count, course->freed, &verdict) < 0)
		return;
	snprintf(told, sizeof(told), "[\"%s\",%.17g,%.17g]",
		 leak_class_name(verdict.class), verdict.slope, verdict.p);
	sqlite3_result_text(context, told, -1, SQLITE_TRANSIENT);
}

/* user data: what looks at it. */
static void course_final(sqlite3_context *context)
{
	void (*const *look)(sqlite3_context *, const double *, const double *,
			    const struct course *) = sqlite3_user_data(context);
	struct course *course = sqlite3_aggregate_context(context, 0);
	double *x, *y;

	if (!course || !course->count)
		return;
	qsort(course->points, course->count, sizeof(*course->points), by_x);
	x = sqlite3_malloc64(2 * course->count * sizeof(*x));
	y = x ? x + course->count : NULL;
	for (size_t i = 0; x && i < course->count; i++) {
		x[i] = course->points[i].x;
		y[i] = course->points[i].y;
	}
	if (!x)
		sqlite3_result_error_nomem(context);
	else
		(*look)(context, x, y, course);
	sqlite3_free(x);
	sqlite3_free(course->points);
}

int courses_register(struct sqlite3 *handle)
{
	static double (*quantile)(const struct histogram *, double) = histogram_quantile;
	static double (*slowest)(const struct histogram *, double) =
		histogram_slowest_share;
	static void (*rising)(sqlite3_context *, const double *, const double *,
			      const struct course *) = rises;
	static void (*growing)(sqlite3_context *, const double *, const double *,
			       const struct course *) = grows;
	const struct {
		const char *name;
		int count;
		void *look;
		void (*call)(sqlite3_context *, int, sqlite3_value **);
		void (*step)(sqlite3_context *, int, sqlite3_value **);
		void (*final)(sqlite3_context *);
	} functions[] = {
		{"histogram_sum", 1, NULL, sum, NULL, NULL},
		{"histogram_quantile", 2, &quantile, answer, NULL, NULL},
		{"histogram_slowest", 2, &slowest, answer, NULL, NULL},
		{"histogram_beyond", 3, NULL, beyond, NULL, NULL},
		{"histogram_mode", 4, NULL, mode, NULL, NULL},
		{"doublings", 1, NULL, doublings, NULL, NULL},
		{"rising_p", 2, &rising, NULL, course_step, course_final},
		{"growth", 3, &growing, NULL, course_step, course_final},
	};
	int result = SQLITE_OK;

	for (size_t i = 0;
	     result == SQLITE_OK && i < sizeof(functions) / sizeof(*functions); i++)
		result = sqlite3_create_function(
			handle, functions[i].name, functions[i].count,
			SQLITE_UTF8 | SQLITE_DETERMINISTIC, functions[i].look,
			functions[i].call, functions[i].step, functions[i].final);
	return result;
}
