/* SPDX-License-Identifier: MIT */
/*
 * Steps over the run, read for the rules S1, S2 and S3. Must not trust the number of
 * spans in a file.
 */
#include "analyzer/rules/steps/course.h"

#include "analyzer/statistics/statistics.h"
#include "analyzer/rundb/rundb.h"

#include "steps_course.sql.h"

static int load_spans(struct rule_input *input, struct steps *steps)
{
	struct cursor *cursor = rule_query(input, steps_course_sql_spans);

	cursor_bind_integer(cursor, ":series", steps->series_id);
	steps->span_count = 0;
	while (steps->span_count < STEP_SPANS_MOST && cursor_next(cursor) > 0) {
		size_t at = steps->span_count++;

		steps->counts[at] = cursor_real(cursor, "timed_count");
		steps->means[at] = cursor_real(cursor, "span_ns") / steps->counts[at];
		steps->live[at] = cursor_real(cursor, "live_bytes");
		steps->seconds[at] = cursor_real(cursor, "last_ns") / 1e9;
	}
	return rule_finish(input, cursor, 0);
}

int steps_for_each(struct rule_input *input, struct findings *ret, bool of_processes,
		   int (*look)(struct rule_input *, struct findings *, struct steps *))
{
	struct cursor *cursor =
		rule_query(input, of_processes ? steps_course_sql_process_steps
					       : steps_course_sql_steps);
	int looked = 0;

	while (looked == 0 && cursor_next(cursor) > 0) {
		struct steps steps = {
			.name = rule_copy(input, cursor_text(cursor, "name")),
			.series_id = cursor_integer(cursor, "series_id"),
			.count = cursor_real(cursor, "timed_count"),
			.total_ns = cursor_real(cursor, "total_ns"),
			.ready_ns = cursor_real(cursor, "ready_ns"),
			.p50_ns = cursor_real(cursor, "p50_ns"),
			.p90_ns = cursor_real(cursor, "p90_ns"),
			.p95_ns = cursor_real(cursor, "p95_ns"),
			.p99_ns = cursor_real(cursor, "p99_ns"),
			.max_ns = cursor_real(cursor, "max_ns")};

		if (steps.count < rule_limit(input, "least_steps"))
			continue;
		looked = load_spans(input, &steps);
		if (looked == 0)
			looked = look(input, ret, &steps);
	}
	return rule_finish(input, cursor, looked);
}

bool steps_rise(const struct steps *steps, const double *values, double p_highest)
{
	double order[STEP_SPANS_MOST], slope, p;

	for (size_t i = 0; i < steps->span_count; i++)
		order[i] = (double)i;
	return statistics_trend(order, values, steps->span_count, &slope, &p) == 0 &&
	       slope > 0 && p <= p_highest;
}

struct finding *steps_add(struct rule_input *input, struct findings *ret,
			  const struct steps *steps)
{
	struct finding *finding = rule_add(input, ret);

	finding->step = steps->name;
	finding->sql =
		rule_replace(input, finding->sql, "{series_id}",
			     rule_text(input, "%lld", (long long)steps->series_id));
	return finding;
}
