/* SPDX-License-Identifier: MIT */
/*
 * SQL functions on histograms of durations and on series of values. Runs on:
 * prof-analyze, inside SQLite's evaluation. Must not keep state between queries, or
 * judge: the query has the limits.
 */
#include "analyzer/rundb/courses.h"

#include "common/base/xalloc.h"
#include "analyzer/statistics/histogram.h"
#include "analyzer/statistics/leak_class.h"
#include "analyzer/statistics/statistics.h"

#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *courses_room(sqlite3_context *context, void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	array = sqlite3_realloc64(array, (count ? 2 * count : 1) * size);
	if (!array)
		sqlite3_result_error_nomem(context);
	return array;
}

/* Reads the first argument, cached since several functions read the same one. False: no
 * histogram. */
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

/* User data: the function that computes the result from histogram and second argument. */
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
	size_t count;
	double freed; /* after the last */
};

typedef void look_at_course(sqlite3_context *context, const double *x, const double *y,
			    const struct course *course);

static void course_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct course *course = sqlite3_aggregate_context(context, sizeof(*course));
	struct point *points;

	if (!course) {
		sqlite3_result_error_nomem(context);
		return;
	}
	points = courses_room(context, course->points, course->count, sizeof(*points));
	if (!points)
		return;
	course->points = points;
	points[course->count] =
		(struct point){sqlite3_value_double(arguments[0]),
			       sqlite3_value_double(arguments[1]), course->count};
	course->count++;
	course->freed = count > 2 ? sqlite3_value_double(arguments[2]) : 0;
}

static int by_x(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	return ORDER_BY_2(a, b, x, number);
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

/* User data: the function that computes the result from the series. */
static void course_final(sqlite3_context *context)
{
	look_at_course *const *look = sqlite3_user_data(context);
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

static double (*const quantile)(const struct histogram *, double) = histogram_quantile;
static double (*const slowest)(const struct histogram *,
			       double) = histogram_slowest_share;
static look_at_course *const rising = rises, *const growing = grows;
const struct sql_function course_functions[] = {
	{"histogram_sum", 1, NULL, sum},
	{"histogram_quantile", 2, &quantile, answer},
	{"histogram_slowest", 2, &slowest, answer},
	{"histogram_beyond", 3, NULL, beyond},
	{"histogram_mode", 4, NULL, mode},
	{"doublings", 1, NULL, doublings},
	{"rising_p", 2, &rising, NULL, course_step, course_final},
	{"growth", 3, &growing, NULL, course_step, course_final},
	{NULL},
};
