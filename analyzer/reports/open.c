/* SPDX-License-Identifier: MIT */
/* The head of a document about one run: what it is, whether it can be trusted. */
#include "analyzer/reports/open.h"

#include "common/base/text.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/engine.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/names/focus.h"

#include "facts.sql.h"

#include <string.h>

/* The row of the view runs, for machines. */
static int add_run(struct report_input *input, struct doc *doc)
{
	struct section *section = doc_values(doc, "run", NULL);
	struct table *scratch = table_new(&(struct column){.name = "run"}, 1);
	struct cursor *cursor = report_query(input, facts_sql_everything);

	bool is_there = cursor_next(cursor) > 0;

	section->flags = SECTION_MACHINE;
	for (int i = 0; is_there && i < cursor_column_count(cursor); i++) {
		const char *name = doc_copy(doc, cursor_column_name(cursor, i));
		struct cell cell = cursor_cell(cursor, i, scratch);
		enum column_type type = COLUMN_ANY;

		if (strcmp(name, "complete") == 0)
			type = COLUMN_FLAG;
		if (cell.kind == CELL_TEXT)
			cell.text = doc_copy(doc, cell.text);
		doc_add(section, name, NULL, type, cell);
	}
	table_free(scratch);
	return report_finish(input, cursor);
}

static void add_live_note(struct report_input *input, struct doc *doc)
{
	int pid = rundb_live(input->db)->pid;
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

enum exit_status report_build(const struct report *report, struct report_input *input,
			      struct doc *doc)
{
	enum exit_status status = focus_resolve(input);

	if (!status && !(report->takes & TAKES_ARCHIVE)) /* it has other tables */
		status = focus_collect(input);
	if (status)
		return status;
	doc->names = input->names;
	status = report->build(input, doc);
	if (report->takes & TAKES_FILTER)
		focus_note(input, doc);
	return status;
}

enum exit_status report_open(struct report_input *input, struct doc *doc,
			     struct run_facts *ret)
{
	enum exit_status status;

	if (run_facts_load(input, doc, ret) < 0)
		return STATUS_FAILED;
	if (add_run(input, doc) < 0)
		return STATUS_FAILED;
	status = engine_add_brief(&report_trust, input, doc, ret, 0);
	if (status)
		return status;
	add_live_note(input, doc);
	return report_check_thread(input, doc);
}

void report_counted_note(struct doc *doc, const struct run_facts *facts)
{
	int64_t count =
		facts->counted_count + facts->sampled_count - facts->uncounted_count;
	struct strbuf text = {0};

	if (!count)
		return;
	units_counted(&text, count, "function");
	strbuf_printf(&text,
		      " %s only counted for part of the run: the calls on each path are "
		      "estimates then; paths on which no call was timed are [in "
		      "brackets]. PROFSHIM_LEVEL=exact times all calls.",
		      count == 1 ? "was" : "were");
	doc_note(doc, "counted_in_paths", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

void report_inlined_note(struct report_input *input, struct doc *doc,
			 const struct run_facts *facts)
{
	struct strbuf text = {0};

	if (input->options->inlined || !facts->inlined_calls)
		return;
	units_count(&text, facts->inlined_calls);
	strbuf_puts(&text, " of ");
	units_counted(&text, facts->calls, "call");
	strbuf_puts(&text,
		    " were inlined by the compiler: their time is in the functions "
		    "that have their code. --inlined shows them apart.");
	doc_note(doc, "inlined_folded", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}
