/* SPDX-License-Identifier: MIT */
/* Waits for a CPU over time. Must not ask the database again for each moment. */
#include "analyzer/rules/time/ready.h"

#include "common/base/xalloc.h"
#include "analyzer/rules/rule.h"
#include "analyzer/rundb/rundb.h"

#include "time_ready.sql.h"

#include <math.h>
#include <stdlib.h>

static int by_time(const void *left, const void *right)
{
	const struct time_ready_point *a = left, *b = right;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static void add(struct time_ready *ready, double time_ns, double ready_ns)
{
	ready->points = xgrow(ready->points, ready->count, &ready->capacity,
			      sizeof(*ready->points));
	ready->points[ready->count++] = (struct time_ready_point){time_ns, ready_ns};
}

int time_ready_load(struct rule_input *input, struct time_ready *ret)
{
	int64_t process_id = -1;
	double known_ns = 0, sum_ns = 0;
	struct cursor *cursor = rule_query(input, time_ready_sql_samples);

	while (cursor_next(cursor) > 0) {
		double ready_ns = cursor_real(cursor, "cpu_wait_ns");

		if (cursor_integer(cursor, "process_id") != process_id) {
			process_id = cursor_integer(cursor, "process_id");
			known_ns = 0;
			add(ret, cursor_real(cursor, "started_ns"), 0);
		}
		add(ret, cursor_real(cursor, "time_ns"), fmax(0, ready_ns - known_ns));
		known_ns = fmax(known_ns, ready_ns);
	}
	if (ret->count)
		qsort(ret->points, ret->count, sizeof(*ret->points), by_time);
	for (size_t i = 0; i < ret->count; i++)
		ret->points[i].ready_ns = sum_ns += ret->points[i].ready_ns;
	return rule_finish(input, cursor, 0);
}

void time_ready_free(struct time_ready *ready)
{
	free(ready->points);
	*ready = (struct time_ready){0};
}

static double up_to(const struct time_ready *ready, double time_ns)
{
	const struct time_ready_point *points = ready->points, *a, *b;
	size_t low = 0, high = ready->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points[middle].time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || low == ready->count)
		return low ? points[low - 1].ready_ns : 0;
	a = &points[low - 1];
	b = &points[low];
	return a->ready_ns + (b->ready_ns - a->ready_ns) * (time_ns - a->time_ns) /
				     (b->time_ns - a->time_ns);
}

double time_ready_between(const struct time_ready *ready, double from_ns, double to_ns)
{
	double ready_ns = up_to(ready, to_ns) - up_to(ready, from_ns);

	return fmin(fmax(0, ready_ns), to_ns - from_ns);
}

double time_ready_most(const struct time_ready *ready, double from_ns, double to_ns)
{
	double sum_ns = 0;

	for (size_t i = 1; i < ready->count; i++) {
		const struct time_ready_point *a = &ready->points[i - 1], *b = a + 1;
		double overlap_ns = fmin(b->time_ns, to_ns) - fmax(a->time_ns, from_ns);

		if (overlap_ns > 0)
			sum_ns += fmin(overlap_ns, b->ready_ns - a->ready_ns);
	}
	return sum_ns;
}
