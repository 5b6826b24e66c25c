/* SPDX-License-Identifier: MIT */
/*
 * The user's own query, as a table. Must not let the query change anything (see
 * rundb_query_foreign()).
 */
#include "analyzer/reports/common.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Columns of one name would be one key in json, so the second gets "_2". */
static const char *unique_name(struct doc *doc, const struct column *columns,
			       size_t count, const char *name)
{
	ended_by(strbuf_free) struct strbuf text = {0};
	size_t number = 1;

	strbuf_puts(&text, name);
	for (size_t i = 0; i < count; i++)
		if (strcmp(columns[i].name, strbuf_text(&text)) == 0) {
			strbuf_reset(&text);
			strbuf_printf(&text, "%s_%zu", name, ++number);
			i = (size_t)-1;
		}
	return doc_copy(doc, strbuf_text(&text));
}

/* Any text may be a column's name: the heading is cleaned. */
static const char *shown_name(struct doc *doc, const char *name)
{
	ended_by(strbuf_free) struct strbuf clean = {0};

	utf8_clean(&clean, name);
	return doc_copy(doc, strbuf_text(&clean));
}

static struct table *new_table(struct doc *doc, struct cursor *cursor)
{
	size_t count = (size_t)cursor_column_count(cursor);
	auto_free struct column *columns = xcalloc(count, sizeof(*columns));

	for (size_t i = 0; i < count; i++) {
		columns[i].name =
			unique_name(doc, columns, i, cursor_column_name(cursor, (int)i));
		columns[i].title = shown_name(doc, columns[i].name);
		columns[i].type = COLUMN_ANY;
	}
	return table_new(columns, count);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	size_t limit = report_limit(input, 0);
	struct cursor *cursor;
	struct table *table;
	struct section *section;
	bool has_more;

	if (input->options->run_is_chosen)
		rundb_limit_views(input->db, input->run_id);
	cursor = rundb_query_foreign(input->db, input->options->argument);
	cursor_bind_integer(cursor, ":run", input->run_id);
	table = new_table(doc, cursor);
	while ((has_more = cursor_next(cursor)) &&
	       !(limit && table->row_count == limit)) {
		struct cell *row = table_add_row(table);

		for (size_t i = 0; i < table->column_count; i++)
			row[i] = cursor_cell(cursor, (int)i, table);
	}
	cursor_close(cursor);
	section = doc_table(doc, "rows", NULL, table);
	section->flags = SECTION_MAIN;
	if (has_more)
		section->footer = "there are more rows; --limit 0 shows all";
	return STATUS_OK;
}

const struct report report_sql = {
	.name = "sql",
	.argument = "QUERY",
	.summary = "the result of an SQL query over the views",
	.description =
		"Runs one SELECT, read-only. Views: runs, processes, threads, functions, "
		"call_paths, call_edges, allocation_sites, snapshots, steps, counters, "
		"resources, trust, and those that common/schema.sql adds.\n\n"
		"Unlike the other commands it reads every run of the file; with --run "
		"the views hold that run alone. :run stands for the number of the run "
		"that --run chose, else of the latest.\n\n"
		"Added functions: quantile(x, q), percentile(x, p), median(x), REGEXP "
		"(POSIX extended).",
	.example = "prof-analyze sql run.db --run 2 "
		   "'SELECT name, calls FROM functions ORDER BY self_ns DESC'",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_EMPTY,
	.build = build,
};
