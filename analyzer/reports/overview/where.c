/* SPDX-License-Identifier: MIT */
/*
 * Where the time of the threads went: computing, ready, blocked, and the calls of libc
 * that they slept in most. Must not guess what was not measured.
 */
#include "analyzer/reports/overview/where.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/rundb/rundb.h"

#include "where.sql.h"

#define BAR_COLUMNS 60
/* Of less nobody wants to know what it was. */
#define LEAST_PERCENT 0.5

static void put_part(struct strbuf *text, const char *word, double ns, double all_ns)
{
	strbuf_printf(text, "%s%s ", text->size ? ", " : "", word);
	units_percent(text, units_share(ns, all_ns));
}

/* Ends where the part before it and this one end together, so the parts fill the bar. */
static void put_bar(struct strbuf *text, char mark, double end_share)
{
	while (text->size < (size_t)(end_share / 100 * BAR_COLUMNS + 0.5))
		strbuf_putc(text, mark);
}

static const struct column call_columns[] = {
	{"name", "call", COLUMN_NAME, COLUMN_KEEP},
	{"kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"blocked_ns", "blocked", COLUMN_NSEC, COLUMN_KEEP},
	{"blocked_percent", "blocked %", COLUMN_PERCENT, COLUMN_KEEP},
};

static enum exit_status add_calls(struct report_input *input, struct strbuf *text,
				  struct table *table, double all_ns)
{
	struct cursor *cursor = report_query(input, where_sql_calls);
	size_t count = 0;

	while (cursor_next(cursor) > 0) {
		double blocked_ns = cursor_real(cursor, "blocked_ns");
		double percent = units_share(blocked_ns, all_ns);
		struct cell *row = table_add_row(table);

		row[0] = table_text(table, cursor_text(cursor, "name"));
		row[1] = table_text(table, cursor_text(cursor, "kind"));
		row[2] = cell_integer(cursor_integer(cursor, "calls"));
		row[3] = cell_integer(cursor_integer(cursor, "blocked_ns"));
		row[4] = cell_real(percent);
		if (percent < LEAST_PERCENT)
			continue;
		strbuf_printf(text, "%s%s ", count++ ? ", " : " (",
			      cursor_text(cursor, "name"));
		units_percent(text, percent);
	}
	if (count)
		strbuf_putc(text, ')');
	return report_finish(input, cursor) == 0 ? STATUS_OK : report_fail_db(input);
}

enum exit_status where_add(struct report_input *input, struct doc *doc,
			   const struct run_facts *facts)
{
	double cpu_ns = (double)facts->cpu_ns, ready_ns = (double)facts->ready_ns;
	double all_ns = cpu_ns + ready_ns + (double)facts->blocked_ns;
	struct strbuf text = {0}, bar = {0};
	struct section *section;
	struct table *table;
	enum exit_status status;

	if (!facts->is_split || !(all_ns > 0))
		return STATUS_OK;
	put_bar(&bar, '#', units_share(cpu_ns, all_ns));
	put_bar(&bar, '=', units_share(cpu_ns + ready_ns, all_ns));
	put_bar(&bar, '.', 100);
	put_part(&text, "# computing", cpu_ns, all_ns);
	put_part(&text, "= ready", ready_ns, all_ns);
	put_part(&text, ". blocked", (double)facts->blocked_ns, all_ns);
	table = table_new(call_columns, sizeof(call_columns) / sizeof(call_columns[0]));
	status = add_calls(input, &text, table, all_ns);
	section = doc_values(doc, "where", NULL);
	doc_add_human(doc, section, "threads", strbuf_text(&bar));
	doc_add_human(doc, section, "", strbuf_text(&text));
	section->flags = SECTION_PARTS;
	doc_add_part(section, "cpu_ns", "computing", COLUMN_NSEC,
		     cell_integer(facts->cpu_ns));
	doc_add_part(section, "ready_ns", "ready, waiting for a CPU", COLUMN_NSEC,
		     cell_integer(facts->ready_ns));
	doc_add_part(section, "blocked_ns", "blocked", COLUMN_NSEC,
		     cell_integer(facts->blocked_ns));
	doc_table(doc, "blocked_on", "What they slept in", table)->flags |=
		SECTION_MACHINE | SECTION_PAGE;
	strbuf_free(&text);
	strbuf_free(&bar);
	return status;
}
