/* SPDX-License-Identifier: MIT */
/* Reading of the facts of a run. Must not judge; trust.c says how far the numbers go. */
#include "analyzer/reports/trust/facts.h"

#include "common/base/utf8.h"
#include "analyzer/reports/common.h"

#include "facts.sql.h"

static int load_run(struct report_input *input, struct doc *doc, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_run);

	if (cursor_next(cursor) > 0) {
		facts->label = report_text(doc, cursor, "label");
		facts->command = report_text(doc, cursor, "command");
		facts->started_utc = report_text(doc, cursor, "started_utc");
		facts->host = report_text(doc, cursor, "host");
		facts->level = report_text(doc, cursor, "level");
		facts->cpu_count = cursor_integer(cursor, "cpu_count");
		facts->wall_ns = cursor_integer(cursor, "wall_ns");
		facts->has_wall = !cursor_is_null(cursor, "wall_ns");
		facts->has_exit_code = !cursor_is_null(cursor, "exit_code");
		facts->exit_code = cursor_integer(cursor, "exit_code");
		facts->has_exit_signal = cursor_integer(cursor, "exit_signal") != 0;
		facts->exit_signal = cursor_integer(cursor, "exit_signal");
		facts->complete = cursor_integer(cursor, "complete") != 0;
		facts->alloc_count = cursor_integer(cursor, "alloc_count");
		facts->alloc_bytes = cursor_integer(cursor, "alloc_bytes");
		facts->free_count = cursor_integer(cursor, "free_count");
		facts->peak_bytes = cursor_integer(cursor, "peak_bytes");
		facts->peaks_bytes = facts->peak_bytes;
		facts->live_bytes = cursor_integer(cursor, "live_bytes_at_exit");
	}
	return report_finish(input, cursor);
}

static int load_sums(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_functions);

	if (cursor_next(cursor) > 0) {
		facts->calls = cursor_integer(cursor, "calls");
		facts->function_count = cursor_integer(cursor, "function_count");
		facts->self_ns = cursor_integer(cursor, "self_ns");
		facts->self_off_ns = cursor_integer(cursor, "self_off_ns");
		facts->raw_self_ns = cursor_integer(cursor, "raw_self_ns");
		facts->counted_count = cursor_integer(cursor, "counted_count");
		facts->off_count = cursor_integer(cursor, "off_count");
		facts->sampled_count = cursor_integer(cursor, "sampled_count");
		facts->inlined_calls = cursor_integer(cursor, "inlined_calls");
	}
	return report_finish(input, cursor);
}

/* Of all self time: who may have so much is asked how much it is. */
#define UNKNOWN_LEAST 0.01

static int load_unknown(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_unknown);

	cursor_bind_real(cursor, ":least_share", UNKNOWN_LEAST);
	if (cursor_next(cursor) > 0)
		facts->unknown_count = cursor_integer(cursor, "count");
	return report_finish(input, cursor);
}

static int load_sampling(struct report_input *input, struct doc *doc,
			 struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_sampling);

	if (cursor_next(cursor) > 0) {
		facts->cpu_sample_count = cursor_integer(cursor, "count");
		facts->sampled_ns = cursor_integer(cursor, "cpu_ns");
		facts->sample_tick_ns = cursor_integer(cursor, "tick_ns");
		facts->samples_off = cursor_integer(cursor, "is_off") != 0;
		facts->samples_refused = report_text(doc, cursor, "refusal");
	}
	return report_finish(input, cursor);
}

static int load_hooks(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_roots);

	if (cursor_next(cursor) > 0) {
		facts->recorded_ns = cursor_integer(cursor, "recorded_ns");
		facts->total_error_ns = cursor_integer(cursor, "total_error_ns");
	}
	if (report_finish(input, cursor) < 0)
		return -1;
	if (hooks_load(input->db, input->run_id, &facts->hooks) < 0) {
		report_fail_db(input);
		return -1;
	}
	facts->recorded_ns += (int64_t)facts->hooks.left_out_ns;
	return 0;
}

static int load_counts(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_counts);

	if (cursor_next(cursor) > 0) {
		facts->process_count = cursor_integer(cursor, "process_count");
		facts->thread_count = cursor_integer(cursor, "thread_count");
		facts->thread_ns = cursor_integer(cursor, "thread_ns");
		facts->is_split = cursor_integer(cursor, "is_split") != 0;
		facts->cpu_ns = cursor_integer(cursor, "cpu_ns");
		facts->ready_ns = cursor_integer(cursor, "ready_ns");
		facts->blocked_ns = cursor_integer(cursor, "blocked_ns");
		facts->sample_count = cursor_integer(cursor, "sample_count");
		facts->plain_sample_count = cursor_integer(cursor, "plain_sample_count");
		facts->path_count = cursor_integer(cursor, "path_count");
		facts->temporary_count = cursor_integer(cursor, "temporary_count");
		facts->snapshot_count = cursor_integer(cursor, "snapshot_count");
	}
	return report_finish(input, cursor);
}

static int load_peak(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_peak);

	if (cursor_next(cursor) > 0) {
		facts->peak_pid = cursor_integer(cursor, "pid");
		facts->peaks_bytes = cursor_integer(cursor, "peaks_bytes");
		facts->peak_live_bytes = cursor_integer(cursor, "live_bytes_at_exit");
		facts->allocating_process_count =
			cursor_integer(cursor, "allocating_count");
	}
	return report_finish(input, cursor);
}

int run_facts_load(struct report_input *input, struct doc *doc, struct run_facts *ret)
{
	int result;

	*ret = (struct run_facts){.is_live = rundb_live_pid(input->db) != 0,
				  .is_attended = rundb_live_is_attended(input->db)};
	result = load_run(input, doc, ret);
	if (result == 0)
		result = load_sums(input, ret);
	if (result == 0)
		result = load_unknown(input, ret);
	if (result == 0)
		result = load_sampling(input, doc, ret);
	if (result == 0)
		result = load_counts(input, ret);
	if (result == 0)
		result = load_peak(input, ret);
	if (result == 0)
		result = load_hooks(input, ret);
	return result;
}

bool run_facts_all_exact(const struct run_facts *facts)
{
	return !facts->counted_count && !facts->off_count && !facts->sampled_count;
}

struct hooks_cost run_facts_hooks(const struct run_facts *facts)
{
	return hooks_percent(hooks_total(&facts->hooks), (double)facts->recorded_ns);
}

bool run_facts_empty(const struct run_facts *facts)
{
	return facts->calls == 0 && facts->alloc_count == 0 && !facts->plain_sample_count;
}
