/* SPDX-License-Identifier: MIT */
/*
 * The facts of a run, and the head that every document about one has. Must not judge;
 * trust.c says how far the numbers go.
 */
#include "analyzer/reports/common.h"

#include "common/base/utf8.h"
#include "analyzer/reports/trust/trust.h"

#include "facts.sql.h"

#include <string.h>

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
	struct cursor *cursor;
	int result = report_query(input, facts_sql_run, &cursor);

	if (result < 0)
		return result;
	result = cursor_next(cursor);
	if (result > 0) {
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
	cursor_close(cursor);
	return result < 0 ? result : 0;
}

static int load_sums(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor;
	int result = report_query(input, facts_sql_functions, &cursor);

	if (result < 0)
		return result;
	result = cursor_next(cursor);
	if (result > 0) {
		facts->calls = cursor_integer(cursor, 0);
		facts->function_count = cursor_integer(cursor, 1);
		facts->self_ns = cursor_integer(cursor, 2);
		facts->raw_self_ns = cursor_integer(cursor, 3);
	}
	cursor_close(cursor);
	if (result < 0)
		return result;
	result = report_query(input, facts_sql_counts, &cursor);
	if (result < 0)
		return result;
	result = cursor_next(cursor);
	if (result > 0) {
		facts->process_count = cursor_integer(cursor, 0);
		facts->thread_count = cursor_integer(cursor, 1);
		facts->thread_ns = cursor_integer(cursor, 2);
		facts->sample_count = cursor_integer(cursor, 3);
		facts->path_count = cursor_integer(cursor, 4);
		facts->temporary_count = cursor_integer(cursor, 5);
		facts->snapshot_count = cursor_integer(cursor, 6);
	}
	cursor_close(cursor);
	return result < 0 ? result : 0;
}

static int load_peak(struct report_input *input, struct run_facts *facts)
{
	struct cursor *cursor;
	int result = report_query(input, facts_sql_peak, &cursor);

	if (result < 0)
		return result;
	result = cursor_next(cursor);
	if (result > 0) {
		facts->peak_pid = cursor_integer(cursor, 0);
		facts->peak_live_bytes = cursor_integer(cursor, 1);
		facts->allocating_process_count = cursor_integer(cursor, 2);
	}
	cursor_close(cursor);
	return result < 0 ? result : 0;
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
		result = load_peak(input, ret);
	if (result < 0)
		report_fail_db(input);
	return result;
}

bool run_facts_empty(const struct run_facts *facts)
{
	return facts->calls == 0 && facts->alloc_count == 0;
}

/* The row of the view runs, for machines. */
static int add_run(struct report_input *input, struct doc *doc)
{
	struct section *section = doc_values(doc, "run", NULL);
	struct table *scratch = table_new(&(struct column){.name = "run"}, 1);
	struct cursor *cursor;
	int result = report_query(input, facts_sql_everything, &cursor);

	section->flags = SECTION_MACHINE;
	if (result == 0) {
		result = cursor_next(cursor);
		for (int i = 0; result > 0 && i < cursor_column_count(cursor); i++) {
			const char *name = doc_copy(doc, cursor_column_name(cursor, i));
			struct cell cell = cursor_cell(cursor, i, scratch);
			enum column_type type = COLUMN_ANY;

			if (strcmp(name, "complete") == 0)
				type = COLUMN_FLAG;
			if (cell.kind == CELL_TEXT)
				cell.text = doc_copy(doc, cell.text);
			doc_add(section, name, NULL, type, cell);
		}
		cursor_close(cursor);
	}
	table_free(scratch);
	return result < 0 ? result : 0;
}

static void add_live_note(struct report_input *input, struct doc *doc)
{
	int pid = rundb_live_pid(input->db);
	struct strbuf sentence = {0};

	if (!pid)
		return;
	strbuf_printf(&sentence,
		      "The run is still being recorded (PID %d): these are the numbers "
		      "so far.",
		      pid);
	doc_note(doc, "live", NOTE_WARNING, strbuf_text(&sentence), NULL);
	strbuf_free(&sentence);
}

enum exit_status report_open(struct report_input *input, struct doc *doc,
			     struct run_facts *ret)
{
	enum exit_status status;

	if (run_facts_load(input, doc, ret) < 0)
		return STATUS_FAILED;
	if (add_run(input, doc) < 0)
		return report_fail_db(input);
	status = trust_add(input, doc, ret);
	if (status)
		return status;
	add_live_note(input, doc);
	return report_check_thread(input, doc);
}

void report_nothing_note(struct report_input *input, struct doc *doc)
{
	struct strbuf advice = {0};

	strbuf_puts(&advice, "'prof-analyze doctor ");
	utf8_clean(&advice, rundb_path(input->db));
	strbuf_puts(&advice, "' tells what is known about why.");
	doc_note(doc, "nothing_measured", NOTE_WARNING,
		 "Nothing was measured: no instrumented function was called and no "
		 "allocation was seen.",
		 strbuf_text(&advice));
	strbuf_free(&advice);
}
