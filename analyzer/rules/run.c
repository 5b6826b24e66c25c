/* SPDX-License-Identifier: MIT */
/*
 * Adding up what the run's time was spent on. Must not guess what was not measured.
 */
#include "analyzer/rules/run.h"

#include "analyzer/rules/rule.h"
#include "analyzer/rundb/rundb.h"

#include "run.sql.h"

#include <math.h>

/* Of less of the processes' lives the samples do not tell what they did. */
#define LIVED_LEAST 0.5

static int load_lanes(struct rule_input *input, struct time_run *run)
{
	struct cursor *cursor = rule_query(input, run_sql_lanes);

	if (cursor_next(cursor) > 0) {
		double wall_ns = input->wall_ns - cursor_real(cursor, "longest_ready_ns");
		double longest_sum_ns = cursor_real(cursor, "longest_sum_ns");
		/* the longest thread's part of what all took */
		double part = rule_share(cursor_real(cursor, "longest_ns"),
					 cursor_real(cursor, "lanes_ns"));

		run->lane_count = cursor_integer(cursor, "lanes");
		run->lived_ns = cursor_real(cursor, "lived_ns");
		run->roots_ready_ns = cursor_real(cursor, "ready_ns");
		run->hooks_ns = part * cursor_real(cursor, "hooks_ns");
		run->run_ns = fmin(fmax(wall_ns - run->hooks_ns, longest_sum_ns) +
					   part * input->total_error_ns,
				   fmax(wall_ns, longest_sum_ns));
		run->has_split = cursor_real(cursor, "seen") > 0 &&
				 !(cursor_real(cursor, "unseen") > 0);
	}
	return rule_finish(input, cursor, 0);
}

static int load_threads(struct rule_input *input, struct time_run *run)
{
	struct cursor *cursor = rule_query(input, run_sql_threads);

	if (cursor_next(cursor) > 0) {
		run->threads = (struct time_threads){
			.count = cursor_integer(cursor, "count"),
			.wall_ns = cursor_real(cursor, "wall_ns"),
			.cpu_ns = cursor_real(cursor, "cpu_ns"),
			.ready_ns = cursor_real(cursor, "ready_ns"),
			.blocked_ns = cursor_real(cursor, "blocked_ns"),
			.busy_count = cursor_integer(cursor, "busy"),
		};
	}
	return rule_finish(input, cursor, 0);
}

static int load_samples(struct rule_input *input, struct time_run *run)
{
	struct cursor *cursor = rule_query(input, run_sql_samples);

	if (cursor_next(cursor) > 0) {
		run->span_ns = cursor_real(cursor, "span_ns");
		run->sampled_cpu_ns = cursor_real(cursor, "cpu_ns");
		run->rss_peak_bytes = cursor_real(cursor, "rss_bytes");
		run->minor_faults = cursor_real(cursor, "minor_faults");
		run->major_faults = cursor_real(cursor, "major_faults");
	}
	run->has_samples = run->span_ns >= TIME_RUN_SPAN_LEAST_NS &&
			   run->span_ns >= run->lived_ns * LIVED_LEAST;
	return rule_finish(input, cursor, 0);
}

int time_run_load(struct rule_input *input, struct time_run *ret)
{
	int result = rundb_keep(input->db, "root_lane", run_sql_root_lane, input->run_id);

	*ret = (struct time_run){0};
	if (result == 0)
		result = load_lanes(input, ret);
	if (result == 0)
		result = load_threads(input, ret);
	if (result == 0)
		result = load_samples(input, ret);
	if (result < 0 && !input->error->size) /* of what is kept */
		strbuf_puts(input->error, rundb_error(input->db));
	return result;
}
