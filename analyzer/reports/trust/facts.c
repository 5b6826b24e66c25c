/* SPDX-License-Identifier: MIT */
/* Reading of the facts of a run. Must not judge; trust.c says how far the numbers go. */
#include "analyzer/reports/trust/facts.h"

#include "common/base/utf8.h"
#include "analyzer/reports/common.h"

#include "facts.sql.h"

static const char *text(struct doc *doc, struct cursor *cursor, int column)
{
	struct strbuf clean = {0};
	const char *copy, *value = cursor_text(cursor, column);

	if (!value)
		return NULL;
	utf8_clean(&clean, value);
	copy = doc_copy(doc, strbuf_text(&clean));
	strbuf_free(&clean);
	return copy;
}

static int load_run(struct report_input *input, struct doc *doc, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_run);

	if (cursor_next(cursor) > 0) {
		facts->label = text(doc, cursor, 0);
		facts->command = text(doc, cursor, 1);
		facts->started_utc = text(doc, cursor, 2);
		facts->host = text(doc, cursor, 3);
		facts->level = text(doc, cursor, 4);
		facts->cpu_count = cursor_integer(cursor, 5);
		facts->wall_ns = cursor_integer(cursor, 6);
		facts->has_exit_code = !cursor_is_null(cursor, 7);
		facts->exit_code = cursor_integer(cursor, 7);
		facts->has_exit_signal = cursor_integer(cursor, 8) != 0;
		facts->exit_signal = cursor_integer(cursor, 8);
		facts->complete = cursor_integer(cursor, 9) != 0;
		facts->hook_cost_ns = cursor_real(cursor, 10);
		facts->alloc_count = cursor_integer(cursor, 11);
		facts->alloc_bytes = cursor_integer(cursor, 12);
		facts->free_count = cursor_integer(cursor, 13);
		facts->peak_bytes = cursor_integer(cursor, 14);
		facts->live_bytes = cursor_integer(cursor, 15);
	}
	return report_finish(input, cursor);
}

static int load_sums(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_functions);

	if (cursor_next(cursor) > 0) {
		facts->calls = cursor_integer(cursor, 0);
		facts->function_count = cursor_integer(cursor, 1);
		facts->self_ns = cursor_integer(cursor, 2);
		facts->raw_self_ns = cursor_integer(cursor, 3);
	}
	return report_finish(input, cursor);
}

static int load_counts(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_counts);

	if (cursor_next(cursor) > 0) {
		facts->process_count = cursor_integer(cursor, 0);
		facts->thread_count = cursor_integer(cursor, 1);
		facts->thread_ns = cursor_integer(cursor, 2);
		facts->sample_count = cursor_integer(cursor, 3);
		facts->path_count = cursor_integer(cursor, 4);
		facts->temporary_count = cursor_integer(cursor, 5);
		facts->snapshot_count = cursor_integer(cursor, 6);
	}
	return report_finish(input, cursor);
}

static int load_peak(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_peak);

	if (cursor_next(cursor) > 0) {
		facts->peak_pid = cursor_integer(cursor, 0);
		facts->peak_live_bytes = cursor_integer(cursor, 1);
		facts->allocating_process_count = cursor_integer(cursor, 2);
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
		result = load_counts(input, ret);
	if (result == 0)
		result = load_peak(input, ret);
	return result;
}

bool run_facts_empty(const struct run_facts *facts)
{
	return facts->calls == 0 && facts->alloc_count == 0;
}
