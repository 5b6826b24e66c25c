/* SPDX-License-Identifier: MIT */
/*
 * Where the time of the threads went: computing, ready, blocked, the hooks, and the calls
 * of libc that they slept in most. Must not guess what was not measured, or show what the
 * hooks computed as the program's.
 */
#include "analyzer/reports/overview/where.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/trust/trust.h"
#include "analyzer/rundb/rundb.h"

#include "where.sql.h"

#include <math.h>

#define BAR_COLUMNS 60
/* Of less nobody wants to know what it was. */
#define LEAST_PERCENT 0.5

/* In ns, of all threads; the parts that add up to all of it. */
struct where {
	double all, program, ready, blocked;
	struct hooks_cost hooks; /* 0: not taken off */
};

static void put_part(struct strbuf *text, const char *word, struct hooks_cost part,
		     double all_ns)
{
	strbuf_printf(text, "%s%s ", text->size ? ", " : "", word);
	trust_put_percent(text, hooks_percent(part, all_ns));
}

/* Ends where the part before it and this one end together, so the parts fill the bar. */
static void put_bar(struct strbuf *text, char mark, double end_share)
{
	/* parts of a damaged file may be larger than the whole */
	double columns = fmin(fmax(end_share, 0), 100) / 100 * BAR_COLUMNS;

	while (text->size < (size_t)(columns + 0.5))
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

/* The clocks of threads hold the program and the hooks together. */
static struct where divide(const struct report_input *input,
			   const struct run_facts *facts)
{
	struct where where = {.program = (double)facts->cpu_ns,
			      .ready = (double)facts->ready_ns,
			      .blocked = (double)facts->blocked_ns};

	where.all = where.program + where.ready + where.blocked;
	if (input->options->raw || !facts->calls || !(facts->hooks.pair.ns > 0))
		return where;
	where.hooks = hooks_total(&facts->hooks);
	where.hooks.ns = fmin(fmax(where.hooks.ns, 0), where.program);
	where.hooks.error_ns = fmin(where.hooks.error_ns, where.program);
	where.program -= where.hooks.ns;
	return where;
}

static void put_text(const struct where *where, struct strbuf *bar, struct strbuf *text)
{
	struct hooks_cost program = {where->program, where->hooks.error_ns};

	put_bar(bar, '#', units_share(where->program, where->all));
	put_bar(bar, '=', units_share(where->program + where->ready, where->all));
	put_bar(bar, '.', units_share(where->all - where->hooks.ns, where->all));
	put_bar(bar, '+', 100);
	put_part(text, "# computing", program, where->all);
	put_part(text, "= ready", (struct hooks_cost){where->ready, 0}, where->all);
	put_part(text, ". blocked", (struct hooks_cost){where->blocked, 0}, where->all);
}

static void add_parts(struct section *section, const struct where *where,
		      const struct run_facts *facts)
{
	bool has_hooks = where->hooks.ns > 0;
	struct cell error = cell_integer(whole_number(where->hooks.error_ns));

	section->flags = SECTION_PARTS;
	doc_add_machine(section, "cpu_ns", COLUMN_NSEC, cell_integer(facts->cpu_ns));
	doc_add_part(section, "program_ns", "computing", COLUMN_NSEC,
		     cell_integer(whole_number(where->program)));
	doc_add_part(section, "ready_ns", "ready, waiting for a CPU", COLUMN_NSEC,
		     cell_integer(facts->ready_ns));
	doc_add_part(section, "blocked_ns", "blocked", COLUMN_NSEC,
		     cell_integer(facts->blocked_ns));
	if (!has_hooks)
		return;
	doc_add_part(section, "hooks_ns", "hooks, not the program", COLUMN_NSEC,
		     cell_integer(whole_number(where->hooks.ns)));
	doc_add_machine(section, "program_error_ns", COLUMN_NSEC, error);
	doc_add_machine(section, "hooks_error_ns", COLUMN_NSEC, error);
}

enum exit_status where_add(struct report_input *input, struct doc *doc,
			   const struct run_facts *facts)
{
	struct where where = divide(input, facts);
	struct strbuf text = {0}, bar = {0};
	struct section *section;
	struct table *table;
	enum exit_status status;

	if (!facts->is_split || !(where.all > 0))
		return STATUS_OK;
	put_text(&where, &bar, &text);
	table = table_new(call_columns, sizeof(call_columns) / sizeof(call_columns[0]));
	status = add_calls(input, &text, table, where.all);
	if (where.hooks.ns > 0)
		put_part(&text, "+ hooks", where.hooks, where.all);
	section = doc_values(doc, "where", NULL);
	doc_add_human(doc, section, "threads", strbuf_text(&bar));
	doc_add_human(doc, section, "", strbuf_text(&text));
	add_parts(section, &where, facts);
	doc_table(doc, "blocked_on", "What they slept in", table)->flags |=
		SECTION_MACHINE | SECTION_PAGE;
	strbuf_free(&text);
	strbuf_free(&bar);
	return status;
}
