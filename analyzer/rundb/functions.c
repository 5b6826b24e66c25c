/* SPDX-License-Identifier: MIT */
/*
 * SQL functions for quantiles, regular expressions, and purposes of libc calls. Runs on:
 * prof-analyze, inside SQLite's evaluation. Must not keep state between queries.
 */
#include "analyzer/rundb/functions.h"

#include <math.h>
#include <regex.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/rundb/courses.h"
#include "analyzer/statistics/statistics.h"
#include "common/base/options.h"
#include "common/libc/calls.h"
#include "common/poisson.h"

struct sample {
	double *values;
	size_t count;
	double quantile; /* from the first row */
};

/* User data: what the second argument is divided by; NULL: median() has none. */
static void quantile_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	const double *scale = sqlite3_user_data(context);
	struct sample *sample = sqlite3_aggregate_context(context, sizeof(*sample));
	double quantile = 0.5, *values;

	if (!sample) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (count > 1) {
		quantile = sqlite3_value_double(arguments[1]) / *scale;
		if (sqlite3_value_numeric_type(arguments[1]) == SQLITE_NULL ||
		    !(quantile >= 0 && quantile <= 1)) {
			sqlite3_result_error(context,
					     *scale > 1
						     ? "percentile(x, p) needs p from 0 "
						       "to 100"
						     : "quantile(x, q) needs q from 0 to "
						       "1",
					     -1);
			return;
		}
	}
	sample->quantile = quantile;
	switch (sqlite3_value_numeric_type(arguments[0])) {
	case SQLITE_INTEGER:
	case SQLITE_FLOAT:
		values = courses_room(context, sample->values, sample->count,
				      sizeof(*values));
		if (!values)
			break;
		sample->values = values;
		values[sample->count++] = sqlite3_value_double(arguments[0]);
		break;
	case SQLITE_NULL:
		break;
	default:
		sqlite3_result_error(context, "quantiles need numbers", -1);
	}
}

static void quantile_final(sqlite3_context *context)
{
	struct sample *sample = sqlite3_aggregate_context(context, 0);
	double place, below, value;
	size_t index;

	if (!sample || !sample->count) {
		sqlite3_result_null(context);
		if (sample)
			sqlite3_free(sample->values);
		return;
	}
	qsort(sample->values, sample->count, sizeof(double), null_compare);
	place = sample->quantile * (double)(sample->count - 1);
	below = floor(place);
	index = (size_t)below; /* quantile is in [0, 1] */
	value = sample->values[index];
	if (index + 1 < sample->count)
		value += (place - below) * (sample->values[index + 1] - value);
	sqlite3_free(sample->values);
	sqlite3_result_double(context, value);
}

/* Longest text to match: matching does not count as SQLite steps, so no limit could stop
 * it. */
#define TEXT_BYTES 65536

static void free_regex(void *pattern)
{
	regfree(pattern);
	sqlite3_free(pattern);
}

static void refuse(sqlite3_context *context, const char *reason)
{
	char sentence[128];

	snprintf(sentence, sizeof(sentence), "the regular expression %s", reason);
	sqlite3_result_error(context, sentence, -1);
}

/* X REGEXP Y calls regexp(Y, X). The compiled pattern is kept as auxiliary data. */
static void match(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	const char *pattern = (const char *)sqlite3_value_text(arguments[0]);
	const char *text = (const char *)sqlite3_value_text(arguments[1]), *refused;
	regex_t *compiled = sqlite3_get_auxdata(context, 0);
	int result;

	(void)count;
	if (!pattern || !text)
		return;
	if (sqlite3_value_bytes(arguments[1]) > TEXT_BYTES) {
		sqlite3_result_error(context, "REGEXP takes texts up to 64 KiB", -1);
		return;
	}
	if (compiled) {
		sqlite3_result_int(context, regexec(compiled, text, 0, NULL, 0) == 0);
		return;
	}
	refused = pattern_refuse(pattern);
	if (refused) {
		refuse(context, refused);
		return;
	}
	compiled = sqlite3_malloc(sizeof(*compiled));
	if (!compiled) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (regcomp(compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
		sqlite3_free(compiled);
		sqlite3_result_error(context, "not a POSIX extended regular expression",
				     -1);
		return;
	}
	result = regexec(compiled, text, 0, NULL, 0);
	sqlite3_set_auxdata(context, 0, compiled, free_regex);
	sqlite3_result_int(context, result == 0);
}

/* libc_purpose('usleep') is 'sleep', see common/libc/calls.h; NULL if the call is not
 * wrapped. */
static void find_purpose(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	static const char *const calls[][2] = {
#define PURPOSE_ROW(name, kind, purpose, operation) {#name, #purpose},
		LIBC_CALLS(PURPOSE_ROW)
#undef PURPOSE_ROW
	};
	const char *name = (const char *)sqlite3_value_text(arguments[0]);

	(void)count;
	for (size_t i = 0; name && i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(calls[i][0], name) == 0) {
			sqlite3_result_text(context, calls[i][1], -1, SQLITE_STATIC);
			return;
		}
}

/* last_known(x): the last x that is not NULL, in the order of rows. */
static void known_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	sqlite3_value **last = sqlite3_aggregate_context(context, sizeof(*last));

	(void)count;
	if (!last || sqlite3_value_type(arguments[0]) == SQLITE_NULL)
		return;
	sqlite3_value_free(*last);
	*last = sqlite3_value_dup(arguments[0]);
}

static void known_value(sqlite3_context *context)
{
	sqlite3_value **last = sqlite3_aggregate_context(context, 0);

	if (last && *last)
		sqlite3_result_value(context, *last);
}

static void known_final(sqlite3_context *context)
{
	sqlite3_value **last = sqlite3_aggregate_context(context, 0);

	known_value(context);
	if (last)
		sqlite3_value_free(*last);
}

/* Window frames begin with the first row, so no row ever leaves. */
static void known_inverse(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	(void)context, (void)count, (void)arguments;
}

/* grown(x): how much larger last_known(x) is than in the row before; before the first
 * value it is 0. */
struct growing {
	double real, before_real;
	int64_t integer, before_integer;
	bool is_real;
};

static void grown_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct growing *growing = sqlite3_aggregate_context(context, sizeof(*growing));

	(void)count;
	if (!growing)
		return;
	growing->before_real = growing->real;
	growing->before_integer = growing->integer;
	if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
		return;
	growing->is_real |= sqlite3_value_type(arguments[0]) == SQLITE_FLOAT;
	growing->real = sqlite3_value_double(arguments[0]);
	growing->integer = sqlite3_value_int64(arguments[0]);
}

static void grown_value(sqlite3_context *context)
{
	const struct growing *growing = sqlite3_aggregate_context(context, 0);
	int64_t more;

	if (!growing || growing->is_real ||
	    __builtin_sub_overflow(growing->integer, growing->before_integer, &more))
		sqlite3_result_double(context,
				      growing ? growing->real - growing->before_real : 0);
	else
		sqlite3_result_int64(context, more);
}

/* tied_rank(value, error), rows from high to low: a row has the same rank as the first
 * row whose value is within the errors of both. */
struct ranking {
	double value, error; /* of the first row of this rank */
	int64_t row, rank;
	bool is_over; /* after a value that is not known nothing gets a rank */
};

static void rank_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct ranking *ranking = sqlite3_aggregate_context(context, sizeof(*ranking));
	double value = sqlite3_value_double(arguments[0]);
	double error = sqlite3_value_double(arguments[1]);

	(void)count;
	if (!ranking)
		return;
	ranking->is_over |= sqlite3_value_type(arguments[0]) == SQLITE_NULL;
	if (ranking->row++ == 0 ||
	    ranking->value - value > hypot(ranking->error, error)) {
		ranking->value = value;
		ranking->error = error;
		ranking->rank = ranking->row;
	}
}

static void rank_value(sqlite3_context *context)
{
	const struct ranking *ranking = sqlite3_aggregate_context(context, 0);

	if (ranking && !ranking->is_over)
		sqlite3_result_int64(context, ranking->rank);
}

/* User data: the function of a number. */
static void compute(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	double (*const *of)(double) = sqlite3_user_data(context);

	(void)count;
	if (sqlite3_value_type(arguments[0]) != SQLITE_NULL)
		sqlite3_result_double(context, (*of)(sqlite3_value_double(arguments[0])));
}

static const double one = 1, hundred = 100;
static double (*const root)(double) = sqrt, (*const tail)(double) = erfc,
		      (*const low)(double) = poisson_low,
		      (*const high)(double) = poisson_high;
static const struct sql_function functions[] = {
	{"quantile", 2, &one, .step = quantile_step, .final = quantile_final},
	{"percentile", 2, &hundred, .step = quantile_step, .final = quantile_final},
	{"median", 1, .step = quantile_step, .final = quantile_final},
	{"regexp", 2, .call = match},
	{"libc_purpose", 1, .call = find_purpose},
	{"square_root", 1, &root, compute},
	{"erfc", 1, &tail, compute},
	{"poisson_low", 1, &low, compute},
	{"poisson_high", 1, &high, compute},
	{"last_known", 1, NULL, NULL, known_step, known_final, known_value},
	{"grown", 1, NULL, NULL, grown_step, grown_value, grown_value},
	{"tied_rank", 2, NULL, NULL, rank_step, rank_value, rank_value},
	{NULL},
};

static int register_all(struct sqlite3 *handle, const struct sql_function *all)
{
	int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC, result = SQLITE_OK;

	for (; result == SQLITE_OK && all->name; all++)
		result = all->value
				 ? sqlite3_create_window_function(
					   handle, all->name, all->count, flags, NULL,
					   all->step, all->final, all->value,
					   known_inverse, NULL)
				 : sqlite3_create_function(handle, all->name, all->count,
							   flags, (void *)all->data,
							   all->call, all->step,
							   all->final);
	return result;
}

int functions_register(struct sqlite3 *handle)
{
	return register_all(handle, functions)
		       ?: register_all(handle, course_functions)
				  ?: register_all(handle, growth_functions);
}
