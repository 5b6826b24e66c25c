/* SPDX-License-Identifier: MIT */
/*
 * The line that leads to the command `why`: what was slow now and then. Of calls that
 * were studied it is known best; without any, spans tell which function is worth it.
 */
#include "analyzer/reports/overview/rare.h"

#include "analyzer/model/shorten.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/rundb/rundb.h"

#include "rare.sql.h"

#include <string.h>

#define NAME_COLUMNS 48

/* "handle, 12 calls of 15ms and more, the longest 452ms: ...". */
static void put_text(struct strbuf *text, struct cursor *cursor, bool is_studied)
{
	const char *name = cursor_text(cursor, "name");
	bool is_step = strcmp(cursor_text(cursor, "kind"), "step") == 0;

	shorten_name(text, name, NAME_COLUMNS, &shorten_ascii);
	strbuf_puts(text, ", ");
	units_counted(text, cursor_integer(cursor, "slow_count"),
		      is_step ? "step" : "call");
	strbuf_puts(text, " of ");
	units_nsec(text, cursor_integer(cursor, "least_ns"));
	strbuf_puts(text, " and more, the longest ");
	units_nsec(text, cursor_integer(cursor, "longest_ns"));
	strbuf_puts(text, is_studied ? ": 'prof-analyze why' with it tells why"
				     : ": 'prof-record --why' with it tells why");
}

static void add_values(struct doc *doc, struct cursor *cursor, bool is_studied)
{
	struct section *section = doc_values(doc, "rare_slow_calls", NULL);
	struct strbuf text = {0};

	put_text(&text, cursor, is_studied);
	doc_add_human(doc, section, "rare slow calls", strbuf_text(&text));
	strbuf_free(&text);
	doc_add_machine(section, "name", COLUMN_NAME,
			(struct cell){.kind = CELL_TEXT,
				      .text = report_text(doc, cursor, "name")});
	doc_add_machine(section, "kind", COLUMN_TEXT,
			(struct cell){.kind = CELL_TEXT,
				      .text = report_text(doc, cursor, "kind")});
	doc_add_machine(section, "is_studied", COLUMN_FLAG, cell_integer(is_studied));
	doc_add_machine(section, "calls", COLUMN_COUNT,
			cell_integer(cursor_integer(cursor, "calls")));
	doc_add_machine(section, "slow_count", COLUMN_COUNT,
			cell_integer(cursor_integer(cursor, "slow_count")));
	doc_add_machine(section, "least_ns", COLUMN_NSEC,
			cell_integer(cursor_integer(cursor, "least_ns")));
	doc_add_machine(section, "longest_ns", COLUMN_NSEC,
			cell_integer(cursor_integer(cursor, "longest_ns")));
}

/* *ret_found: there is one. */
static int look(struct report_input *input, struct doc *doc, const char *sql,
		bool is_studied, bool *ret_found)
{
	struct cursor *cursor = report_query(input, sql);

	*ret_found = cursor_next(cursor) > 0 && cursor_text(cursor, "name");
	if (*ret_found)
		add_values(doc, cursor, is_studied);
	return report_finish(input, cursor);
}

enum exit_status rare_add(struct report_input *input, struct doc *doc)
{
	bool is_found;
	int result = look(input, doc, rare_sql_studied, true, &is_found);

	if (result == 0 && !is_found)
		result = look(input, doc, rare_sql_spans, false, &is_found);
	return result == 0 ? STATUS_OK : STATUS_FAILED;
}
