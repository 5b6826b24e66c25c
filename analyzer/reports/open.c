/* SPDX-License-Identifier: MIT */
/* The head of a document about one run: what it is, whether it can be trusted. */
#include "analyzer/reports/open.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/engine.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/names/focus.h"
#include "analyzer/reports/trust/facts.h"

#include "facts.sql.h"

#include <string.h>

/* The row of the view runs, for machines. */
static void add_run(struct report_input *input, struct doc *doc)
{
	struct section *section = doc_values(doc, "run", NULL);
	struct table *texts = table_new(&(struct column){.name = "run"}, 1);
	auto_cursor struct cursor *cursor = report_query(input, facts_sql_everything);
	bool is_there = cursor_next(cursor);

	section->flags = SECTION_MACHINE;
	for (int i = 0; is_there && i < cursor_column_count(cursor); i++) {
		const char *name = doc_copy(doc, cursor_column_name(cursor, i));
		bool is_flag = strcmp(name, "complete") == 0;

		doc_add(section, name, NULL, is_flag ? COLUMN_FLAG : COLUMN_ANY,
			cursor_cell(cursor, i, texts));
	}
}

enum exit_status report_build(const struct report *report, struct report_input *input,
			      struct doc *doc)
{
	enum exit_status status;

	focus_resolve(input);
	if (!(report->takes & TAKES_ARCHIVE)) /* it has other tables */
		focus_collect(input);
	doc->names = input->names;
	status = report->build(input, doc);
	if (report->takes & TAKES_FILTER)
		focus_note(input, doc);
	return status;
}

void report_open(struct report_input *input, struct doc *doc)
{
	run_facts_load(input);
	add_run(input, doc);
	engine_add_brief(&report_trust, input, doc, 0);
	if (input->options->thread)
		report_check_thread(input);
	engine_run(&report_opened, input, doc);
}
