/* SPDX-License-Identifier: MIT */
/*
 * CPU time and waits for a CPU between two moments, from the samples. Must not ask the
 * database again for each moment.
 */
#include "analyzer/rules/time/served.h"

#include "common/base/xalloc.h"
#include "analyzer/rules/rule.h"
#include "analyzer/rundb/rundb.h"

#include "time_served.sql.h"

#include <math.h>
#include <stdlib.h>

static int by_time(const void *left, const void *right)
{
	const struct time_served_point *a = left, *b = right;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* What a process took since its sample before. */
static void add(struct time_served *served, double time_ns, double cpu_ns, double wait_ns)
{
	served->points = xgrow(served->points, served->count, &served->capacity,
			       sizeof(*served->points));
	served->points[served->count++] =
		(struct time_served_point){time_ns, fmax(0, cpu_ns), fmax(0, wait_ns)};
}

static void sum_up(struct time_served *served)
{
	struct time_served_point sum = {0};

	if (served->count)
		qsort(served->points, served->count, sizeof(*served->points), by_time);
	for (size_t i = 0; i < served->count; i++) {
		struct time_served_point *point = &served->points[i];

		sum.cpu_ns += point->cpu_ns;
		sum.wait_ns += point->wait_ns;
		point->cpu_ns = sum.cpu_ns;
		point->wait_ns = sum.wait_ns;
	}
}

int time_served_load(struct rule_input *input, struct time_served *ret)
{
	int64_t process_id = -1;
	double known_ns = 0, wait_ns = 0;
	struct cursor *cursor = rule_query(input, time_served_sql_samples);

	while (cursor_next(cursor) > 0) {
		double time_ns = cursor_real(cursor, "time_ns");

		if (cursor_integer(cursor, "process_id") != process_id) {
			process_id = cursor_integer(cursor, "process_id");
			known_ns = cursor_real(cursor, "started_ns");
			wait_ns = 0;
			add(ret, known_ns, 0, 0);
		}
		add(ret, time_ns,
		    cursor_real(cursor, "cpu_percent") / 100 * (time_ns - known_ns),
		    cursor_real(cursor, "cpu_wait_ns") - wait_ns);
		known_ns = time_ns;
		wait_ns = fmax(wait_ns, cursor_real(cursor, "cpu_wait_ns"));
	}
	sum_up(ret);
	return rule_finish(input, cursor, 0);
}

void time_served_free(struct time_served *served)
{
	free(served->points);
	*served = (struct time_served){0};
}

/* The sums at a moment, on a line between the samples. */
static struct time_served_point at(const struct time_served *served, double time_ns)
{
	const struct time_served_point *points = served->points, *a, *b;
	size_t low = 0, high = served->count;
	double share;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points[middle].time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || low == served->count)
		return points[low ? low - 1 : 0];
	a = &points[low - 1];
	b = &points[low];
	share = (time_ns - a->time_ns) / (b->time_ns - a->time_ns);
	return (struct time_served_point){time_ns,
					  a->cpu_ns + share * (b->cpu_ns - a->cpu_ns),
					  a->wait_ns + share * (b->wait_ns - a->wait_ns)};
}

static double part(const struct time_served_point *from,
		   const struct time_served_point *to)
{
	double cpu_ns = to->cpu_ns - from->cpu_ns, wait_ns = to->wait_ns - from->wait_ns;

	return cpu_ns + wait_ns > 0 ? fmax(0.1, cpu_ns / (cpu_ns + wait_ns)) : 0;
}

double time_served_between(const struct time_served *served, double from_ns, double to_ns)
{
	struct time_served_point from, to;
	double known;

	if (!served->count)
		return 1;
	from = at(served, from_ns);
	to = at(served, to_ns);
	known = part(&from, &to);
	/* Before the first sample and behind the last one it is taken to be as it was. */
	if (!(known > 0))
		known = part(&served->points[0], &served->points[served->count - 1]);
	return known > 0 ? known : 1;
}
